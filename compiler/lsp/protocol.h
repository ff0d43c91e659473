// Of the protocol: errors, places, what requests have in common.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "compiler/lsp/document.h"

namespace sigrel::lsp {

using Json = nlohmann::json;

// Error codes of JSON-RPC and LSP.
enum ErrorCode : int {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kInternalError = -32603,
  kNotInitialised = -32002,
  kRequestCancelled = -32800,
};

struct RequestError {
  ErrorCode code;
  std::string message;
};

inline Json as_json(Place place) { return {{"line", place.line}, {"character", place.character}}; }

inline Place place_of(const Json& json) {
  return {json.at("line").get<std::size_t>(), json.at("character").get<std::size_t>()};
}

inline const std::string& uri_in(const Json& params) {
  return params.at("textDocument").at("uri").get_ref<const std::string&>();
}

/// The names of token types and modifiers, which semantic tokens refer to by number.
Json token_legend();

}  // namespace sigrel::lsp
