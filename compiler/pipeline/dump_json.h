// Intermediate representations as JSON, with names of the source: for `sigrel dump STAGE --format json`.
#pragma once
#include <string>

#include "compiler/ir/core.h"
#include "compiler/ir/dae.h"
#include "compiler/ir/plan.h"
#include "compiler/ir/system.h"

namespace sigrel::pipeline {

std::string core_json(const core::Program& program);
std::string system_json(const system::System& system);
std::string dae_json(const system::System& system, const dae::System& dae);
std::string plan_json(const system::System& system, const dae::System& dae, const plan::Plan& plan);
/// Generated code: {"text": …}.
std::string listing_json(const std::string& text);

}  // namespace sigrel::pipeline
