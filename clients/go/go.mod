module svc-client

go 1.21
