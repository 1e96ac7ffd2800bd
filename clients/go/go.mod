module svc.invalid/client

go 1.21
