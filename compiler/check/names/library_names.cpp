#include "compiler/check/names/library_names.h"

#include <algorithm>
#include <cctype>

namespace sigrel::check {
namespace {

// Names that differ from ours by their capitals alone are found without this table.
constexpr LibraryName kNames[] = {
    {"currentSensor", "ammeter", "Electrical"},
    {"voltageSensor", "voltmeter", "Electrical"},
    {"potentialSensor", "voltmeter", "Electrical"},
    {"powerSensor", "wattmeter", "Electrical"},
    {"idealOpAmp", "opAmp", "Electrical"},
    {"idealOpAmp3Pin", "opAmp", "Electrical"},
    {"idealOpAmpLimited", "limitedOpAmp", "Electrical"},
    {"idealTransformer", "transformer", "Electrical"},
    {"mutualInductor", "coupledInductors", "Electrical"},
    {"signalVoltage", "drivenVoltage", "Electrical"},
    {"signalCurrent", "drivenCurrent", "Electrical"},
    {"controlledVoltageSource", "drivenVoltage", "Electrical"},
    {"controlledCurrentSource", "drivenCurrent", "Electrical"},
    {"idealSwitch", "contact", "Electrical"},
    {"idealClosingSwitch", "contact", "Electrical"},
    {"idealOpeningSwitch", "contact", "Electrical"},
    {"diode", "exponentialDiode", "Electrical"},
    {"zDiode", "zenerDiode", "Electrical"},
    {"voltageSource", "constantVoltage", "Electrical"},
    {"dcVoltageSource", "constantVoltage", "Electrical"},
    {"vsource", "constantVoltage", "Electrical"},
    {"currentSource", "constantCurrent", "Electrical"},
    {"dcCurrentSource", "constantCurrent", "Electrical"},
    {"isource", "constantCurrent", "Electrical"},
    {"acVoltageSource", "sineVoltage", "Electrical"},
    {"vcvs", "voltageByVoltage", "Electrical"},
    {"vccs", "currentByVoltage", "Electrical"},
    {"ccvs", "voltageByCurrent", "Electrical"},
    {"cccs", "currentByCurrent", "Electrical"},
    {"constantTorque", "torque", "Rotational"},
    {"torqueSource", "drivenTorque", "Rotational"},
    {"constantSpeed", "speed", "Rotational"},
    {"speedSource", "drivenSpeed", "Rotational"},
    {"angularVelocitySource", "drivenSpeed", "Rotational"},
    {"position", "drivenAngle", "Rotational"},
    {"idealGear", "gear", "Rotational"},
    {"idealPlanetary", "planetary", "Rotational"},
    {"bearingFriction", "dryFriction", "Rotational"},
    {"elastoBacklash", "backlash", "Rotational"},
    {"rotationalEMF", "emf", "Rotational"},
    {"rotationalFree", "free", "Rotational"},
    {"slidingMass", "mass", "Translational"},
    {"fixed", "wall", "Translational"},
    {"constantForce", "force", "Translational"},
    {"forceSource", "drivenForce", "Translational"},
    {"position", "drivenPosition", "Translational"},
    {"speed", "drivenVelocity", "Translational"},
    {"speedSensor", "velocitySensor", "Translational"},
    {"idealGearR2T", "rack", "Translational"},
    {"hardStop", "stop", "Translational"},
    {"thermalConductor", "conduction", "Thermal"},
    {"thermalResistor", "conduction", "Thermal"},
    {"bodyRadiation", "radiation", "Thermal"},
    {"thermalMass", "heatCapacity", "Thermal"},
    {"heatCapacitor", "heatCapacity", "Thermal"},
    {"fixedHeatFlow", "heater", "Thermal"},
    {"prescribedHeatFlow", "drivenHeater", "Thermal"},
    {"fixedTemperature", "surroundings", "Thermal"},
    {"prescribedTemperature", "drivenSurroundings", "Thermal"},
    {"temperatureSensor", "thermometer", "Thermal"},
    {"heatFlowSensor", "heatMeter", "Thermal"},
    {"openTank", "tank", "Fluid"},
    {"staticPipe", "laminarPipe", "Fluid"},
    {"fixedBoundary", "reservoir", "Fluid"},
    {"boundary", "reservoir", "Fluid"},
    {"massFlowSource", "source", "Fluid"},
    {"valveLinear", "valve", "Fluid"},
    {"pressureSensor", "manometer", "Fluid"},
    {"volumeFlowRate", "flowMeter", "Fluid"},
    {"feedback", "subtract", "Blocks"},
    {"limiter", "saturation", "Blocks"},
    {"limPID", "limitedPid", "Blocks"},
    {"pidController", "pid", "Blocks"},
    {"product", "multiply", "Blocks"},
    {"division", "divide", "Blocks"},
    {"fixedDelay", "transportDelay", "Blocks"},
    {"zeroOrderHold", "hold", "Blocks"},
    {"sampler", "hold", "Blocks"},
    {"rateLimiter", "slewLimiter", "Blocks"},
    {"combiTable1D", "lookup", "Blocks"},
    {"combiTimeTable", "lookup", "Blocks"},
    {"lookupTable", "lookup", "Blocks"},
    {"transferFcn", "transferFunction", "Blocks"},
};

bool is_same(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

}  // namespace

std::span<const LibraryName> all_library_names() { return kNames; }

std::vector<LibraryName> library_names(std::string_view theirs) {
  std::vector<LibraryName> found;
  for (const LibraryName& name : kNames)
    if (is_same(name.theirs, theirs)) found.push_back(name);
  return found;
}

}  // namespace sigrel::check
