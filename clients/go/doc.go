// Package svc calls svc, from the scripts that it runs and from anywhere else.
//
// Inside a job everything is set up: the environment names the service and holds a token with exactly the job's rights.
// Elsewhere begin with SetClient.
//
// An error response of the service is an *APIError; IsNotFound reports a missing object. A job that fails while it is waited for is
// a *JobError. Any other error means that the service was not reached.
package svc
