// Package svc is a client of svc, for the scripts that it runs and for other programs.
//
// Inside a job, no setup is necessary: the environment contains the URL of the service and a token with exactly the job's rights.
// Other programs call SetClient first.
//
// An error response of the service is an *APIError; IsNotFound reports a missing object. The failure of a job that is waited for is
// a *JobError. Any other error means that the service was not reached.
package svc
