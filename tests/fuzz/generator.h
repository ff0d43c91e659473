// Programs composed from the grammar, mostly well typed: expressions are made for a type, names are taken
// from those in scope. And the pieces of a text, by its indentation, so that texts are changed and crossed
// piece by piece.
#pragma once
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace sigrel::fuzz {

using Random = std::minstd_rand;

/// A module of some declarations.
std::string generate_module(Random& random);
/// One declaration, one item of a relation, one expression, one token.
std::string generate_declaration(Random& random);
std::string generate_item(Random& random, int indent);
std::string generate_expression(Random& random);
std::string generate_token(Random& random);

/// The text after one to four changes; `other` is where pieces to insert come from.
std::string mutate(const std::string& text, const std::string& other, Random& random);

/// The text with one to three numbers, names or operators replaced by others, mostly of the text itself: many
/// of the results are complete models.
std::string change_values(const std::string& text, Random& random);

}  // namespace sigrel::fuzz
