// A program that brings its extension along and looks at the parameters of its codelets.
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "check.h"
#include "gxf/core/entity.hpp"
#include "gxf/std/codelet.hpp"
#include "gxf/std/extension.hpp"

extern "C" gxf_result_t GxfExtensionFactory(void** result);

namespace {

std::string ReadFile(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

void Parameters(gxf_context_t context, gxf_uid_t codelet) {
  double gain = 0.0;
  OK(GxfParameterGetFloat64(context, codelet, "gain", &gain));
  CHECK(gain == 2.5);
  uint64_t height = 0;
  uint64_t width = 0;
  OK(GxfParameterGet2DFloat64VectorInfo(context, codelet, "matrix", &height, &width));
  CHECK(height == 2 && width == 2);
  std::vector<std::vector<double>> rows(2, std::vector<double>(2));
  double* pointers[] = {rows[0].data(), rows[1].data()};
  OK(GxfParameterGet2DFloat64Vector(context, codelet, "matrix", pointers, &height, &width));
  CHECK(rows[1][0] == 3.0);
  int32_t shape[] = {4, 5};
  OK(GxfParameterSet1DInt32Vector(context, codelet, "shape", shape, 2));
  uint64_t length = 1;
  EXPECT(GXF_QUERY_NOT_ENOUGH_CAPACITY,
         GxfParameterGet1DInt32Vector(context, codelet, "shape", shape, &length));
  CHECK(length == 2);
  const char* label = nullptr;
  EXPECT(GXF_PARAMETER_NOT_INITIALIZED,
         GxfParameterGetStr(context, codelet, "label", &label));
  gxf_parameter_info_t info;
  const gxf_tid_t tid = tid_of(context, "installed::TensorTx");
  OK(GxfParameterInfo(context, tid, "matrix", &info));
  CHECK(info.type == GXF_PARAMETER_TYPE_FLOAT64 && info.rank == 2);
  CHECK(info.shape[0] == -1 && info.shape[1] == -1);
  OK(GxfParameterInfo(context, tid, "label", &info));
  CHECK(info.type == GXF_PARAMETER_TYPE_STRING && info.flags == GXF_PARAMETER_FLAGS_OPTIONAL);
}

}  // namespace

int main() {
  const std::string source = __FILE__;
  const std::string graph = ReadFile(source.substr(0, source.rfind('/')) + "/codelets.yaml");
  void* extension = nullptr;
  OK(GxfExtensionFactory(&extension));
  EXPECT(GXF_ARGUMENT_NULL, GxfExtensionFactory(nullptr));
  // The program asks how many types there are, and leaves the pointer to them as it is.
  gxf_tid_t none;
  gxf_extension_info_t info{};
  info.components = &none;
  CHECK(static_cast<nvidia::gxf::Extension*>(extension)->getInfo(&info));
  CHECK(info.num_components > 1 && std::string(info.version) == "1.0.0");
  const std::string event_based = "EventBasedScheduler";
  for (const char* scheduler : {"EventBasedScheduler", "MultiThreadScheduler"}) {
    gxf_context_t context = new_context();
    OK(GxfLoadExtensionFromPointer(context, extension));
    std::string text = graph;
    text.replace(text.find(event_based), event_based.size(), scheduler);
    const char* overrides[] = {"tx/codelet/gain=2.5"};
    OK(GxfGraphParseString(context, text.c_str(), overrides, 1));
    gxf_uid_t tx = kNullUid;
    gxf_uid_t codelet = kNullUid;
    OK(GxfEntityFind(context, "tx", &tx));
    OK(GxfComponentFind(context, tx, tid_of(context, "installed::TensorTx"), nullptr, nullptr,
                        &codelet));
    Parameters(context, codelet);
    for (int times = 0; times < 2; times++) {
      OK(GxfGraphActivate(context));
      OK(GxfGraphRunAsync(context));
      std::thread other([=] { OK(GxfParameterSetFloat64(context, codelet, "gain", 3.0)); });
      other.join();
      OK(GxfGraphWait(context));
      OK(GxfGraphDeactivate(context));
    }
    {
      auto entity = nvidia::gxf::Entity::Shared(context, tx);
      CHECK(entity && entity->findAll().value().size() == 5);
      CHECK(entity && entity->get<nvidia::gxf::Codelet>().value().cid() == codelet);
    }
    OK(GxfContextDestroy(context));
  }
  return done();
}
