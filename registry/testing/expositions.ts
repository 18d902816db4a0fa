// Expositions as the client libraries of Go and Python write them: blanks, escapes, summaries, timestamps.

export const goExposition = `# HELP go_gc_duration_seconds A summary of the wall-time pause (stop-the-world) duration in garbage collection cycles.
# TYPE go_gc_duration_seconds summary
go_gc_duration_seconds{quantile="0"} 2.6e-05
go_gc_duration_seconds{quantile="0.5"} 5.4e-05
go_gc_duration_seconds{quantile="1"} 0.000306708
go_gc_duration_seconds_sum 0.002
go_gc_duration_seconds_count 38
# HELP go_info Information about the Go environment.
# TYPE go_info gauge
go_info{version="go1.26.0"} 1
# HELP http_requests_total Total number of HTTP requests.
# TYPE http_requests_total counter
http_requests_total{method="post",code="200"} 1027 1395066363000
http_requests_total{method="post",code="400"}    3 1395066363000
# HELP process_cpu_seconds_total Total user and system CPU time spent in seconds.
# TYPE process_cpu_seconds_total counter
process_cpu_seconds_total 12.47
# HELP process_start_time_seconds Start time of the process since unix epoch in seconds.
# TYPE process_start_time_seconds gauge
process_start_time_seconds 1.78955e+09
`;

export const pythonExposition = `# HELP python_info Python platform information
# TYPE python_info gauge
python_info{implementation="CPython",major="3",minor="13",patchlevel="1",version="3.13.1"} 1.0
# HELP request_latency_seconds Request latency with \\\\ and \\n in its help
# TYPE request_latency_seconds histogram
request_latency_seconds_bucket{le="0.1",path="C:\\\\dir \\"x\\"\\n"} 1.0
request_latency_seconds_bucket{le="+Inf",path="C:\\\\dir \\"x\\"\\n"} 2.0
request_latency_seconds_count{path="C:\\\\dir \\"x\\"\\n"} 2.0
request_latency_seconds_sum{path="C:\\\\dir \\"x\\"\\n"} 0.25
# HELP request_latency_seconds_created Request latency
# TYPE request_latency_seconds_created gauge
request_latency_seconds_created{path="C:\\\\dir \\"x\\"\\n"} 1.7e+09
# HELP odd_values Infinities and not a number
# TYPE odd_values gauge
odd_values{kind="up"} +Inf
odd_values{kind="down"} -Inf
odd_values{kind="none"} NaN
`;
