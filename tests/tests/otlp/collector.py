"""An OpenTelemetry collector that prints its port, then what it gets, and `end` after metrics."""

import http.server

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


def service(resource):
    return next(one.value.string_value for one in resource.attributes if one.key == "service.name")


class Collector(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/v1/traces":
            for part in ExportTraceServiceRequest.FromString(body).resource_spans:
                for scope in part.scope_spans:
                    for span in scope.spans:
                        print(f"{service(part.resource)}: span {span.name}", flush=True)
        else:
            for part in ExportMetricsServiceRequest.FromString(body).resource_metrics:
                for scope in part.scope_metrics:
                    for metric in scope.metrics:
                        points = [point.as_int for point in metric.sum.data_points]
                        print(f"{service(part.resource)}: metric {metric.name} {points}", flush=True)
            print("end", flush=True)
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
print(server.server_address[1], flush=True)
server.serve_forever()
