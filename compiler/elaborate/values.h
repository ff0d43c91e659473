// The names of `evaluate` that elaboration uses.
#pragma once
#include "compiler/evaluate/machine.h"
#include "compiler/evaluate/relation.h"
#include "compiler/evaluate/size_dependence.h"

namespace sigrel::elaborate {

using evaluate::Affine;
using evaluate::BodyHost;
using evaluate::Bytecode;
using evaluate::Heap;
using evaluate::is_object;
using evaluate::kConstant;
using evaluate::kind_of;
using evaluate::kNone;
using evaluate::LayoutId;
using evaluate::LayoutNode;
using evaluate::Layouts;
using evaluate::Machine;
using evaluate::Object;
using evaluate::ObjectKind;
using evaluate::ParameterisedItem;
using evaluate::Reading;
using evaluate::RelationCode;
using evaluate::RelationObject;
using evaluate::Relations;
using evaluate::SizeAnalysis;
using evaluate::SizeDependence;
using evaluate::SizeRegion;
using evaluate::Tag;
using evaluate::Value;

}  // namespace sigrel::elaborate
