package svc

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

const (
	firstPause   = 50 * time.Millisecond
	longestPause = 500 * time.Millisecond
	// The number of consecutive polls that may fail for a temporary reason.
	tries = 5
)

// JobError is the error of a job that failed or was canceled.
type JobError struct {
	JobID   string `json:"-"`
	Name    string `json:"name"`
	Message string `json:"message"`
	Stack   string `json:"stack,omitempty"`
}

func (e *JobError) Error() string {
	return fmt.Sprintf("Job %s failed: %s: %s", e.JobID, e.Name, e.Message)
}

// MaybeResult is the state of a job. Result is valid once Completed is true; a failed job has {"error": {"name", "message", "stack"}}.
type MaybeResult struct {
	Completed bool            `json:"completed"`
	Result    json.RawMessage `json:"result"`
	Success   *bool           `json:"success,omitempty"`
	Started   *bool           `json:"started,omitempty"`
}

// RunOptions are optional settings of a run.
type RunOptions struct {
	// Tag replaces the tag of the script, which selects workers.
	Tag string
	// ScheduledIn delays the run, in whole seconds. Only for asynchronous runs.
	ScheduledIn time.Duration
	// Verbose prints the id of the job to the log.
	Verbose bool
}

// RunScriptByPath runs the newest version of a script and waits for its result. The error is a *JobError if the script fails, and an
// *APIError if it cannot be run.
func RunScriptByPath(path string, args map[string]any, options ...RunOptions) (any, error) {
	return runAndWait("p/", path, args, options)
}

// RunScriptByHash runs one version of a script, named by its 16 hex digits, and waits for its result. The errors are those of RunScriptByPath.
func RunScriptByHash(hash string, args map[string]any, options ...RunOptions) (any, error) {
	return runAndWait("h/", hash, args, options)
}

// RunScriptByPathAsync runs the newest version of a script without waiting for it, and returns the job's id.
func RunScriptByPathAsync(path string, args map[string]any, options ...RunOptions) (string, error) {
	return start("p/", path, args, options)
}

// RunScriptByHashAsync runs one version of a script without waiting for it, and returns the job's id.
func RunScriptByHashAsync(hash string, args map[string]any, options ...RunOptions) (string, error) {
	return start("h/", hash, args, options)
}

func runAndWait(kind, name string, args map[string]any, options []RunOptions) (any, error) {
	id, err := start(kind, name, args, options)
	if err != nil {
		return nil, err
	}
	if len(options) > 0 && options[0].Verbose {
		fmt.Printf("Running %s as job %s.\n", name, id)
	}
	return WaitJob(id)
}

func start(kind, name string, args map[string]any, options []RunOptions) (string, error) {
	part, err := pathPart(name)
	if err != nil {
		return "", err
	}
	if args == nil {
		args = map[string]any{}
	}
	// A run that a job starts is its child.
	query := map[string]string{"parent_job": jobVariable("JOB_ID"), "root_job": jobVariable("ROOT_FLOW_JOB_ID")}
	if len(options) > 0 {
		query["tag"] = options[0].Tag
		if seconds := int(options[0].ScheduledIn.Seconds()); seconds > 0 {
			query["scheduled_in_secs"] = strconv.Itoa(seconds)
		}
	}
	id, _, err := call(http.MethodPost, "jobs/run/"+kind+part, asked{query: query, body: args})
	return string(id), err
}

// WaitJob waits for a job to end and returns its result. It polls after 50 ms, then at growing intervals up to 500 ms. The error is a
// *JobError if the job failed or was canceled.
func WaitJob(id string) (any, error) {
	failures := 0
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		answer, err := GetResultMaybe(id)
		switch {
		case err == nil && answer.Completed:
			return resultOf(id, answer)
		case err == nil:
			failures = 0
		default:
			if failures++; failures >= tries || !isTemporary(err) {
				return nil, err
			}
		}
		time.Sleep(pause)
	}
}

func resultOf(id string, answer MaybeResult) (any, error) {
	if answer.Success != nil && !*answer.Success {
		failed := struct {
			Error JobError `json:"error"`
		}{}
		if err := json.Unmarshal(answer.Result, &failed); err != nil {
			return nil, err
		}
		failed.Error.JobID = id
		return nil, &failed.Error
	}
	if len(answer.Result) == 0 {
		return nil, nil
	}
	var result any
	err := json.Unmarshal(answer.Result, &result)
	return result, err
}

// isTemporary reports whether an error is temporary: no connection, too many calls, or a service that is briefly unavailable.
func isTemporary(err error) bool {
	var refused *APIError
	return !errors.As(err, &refused) || refused.Status == http.StatusTooManyRequests || refused.Status >= 500
}

// GetResult returns the result of a completed job; a failed one has {"error": {"name", "message", "stack"}}. IsNotFound(err) is true
// while the job has not ended.
func GetResult(id string) (any, error) {
	var result any
	err := aboutJob(&result, http.MethodGet, "jobs_u/completed/get_result/", id, asked{})
	return result, err
}

// GetResultMaybe returns whether a job has ended and, if it has, its result.
func GetResultMaybe(id string) (MaybeResult, error) {
	answer := MaybeResult{}
	err := aboutJob(&answer, http.MethodGet, "jobs_u/completed/get_result_maybe/", id, asked{})
	return answer, err
}

// CancelJob cancels a job: a queued job immediately, a running job within seconds. It returns the confirmation of the service.
func CancelJob(id, reason string) (string, error) {
	body := map[string]any{}
	if reason != "" {
		body["reason"] = reason
	}
	answer := ""
	err := aboutJob(&answer, http.MethodPost, "jobs_u/queue/cancel/", id, asked{body: body})
	return answer, err
}

// GetRootJobID returns the outermost parent of a job, or the job itself if it has none. The job defaults to the one that runs
// this code.
func GetRootJobID(id ...string) (string, error) {
	job, err := jobOr(id)
	if err != nil {
		return "", err
	}
	root := ""
	err = aboutJob(&root, http.MethodGet, "jobs_u/get_root_job_id/", job, asked{})
	return root, err
}

// SetProgress sets the progress of a job. Progress never decreases. percent is between 0 and 99: a higher value is sent
// as 99, because only the end of the job is 100. The job defaults to the one that runs this code.
func SetProgress(percent int, id ...string) error {
	job, err := jobOr(id)
	if err != nil {
		return err
	}
	body := map[string]any{"percent": max(0, min(99, percent))}
	flow := jobVariable("FLOW_JOB_ID")
	if len(id) > 0 && id[0] != "" {
		of := struct {
			ParentJob string `json:"parent_job"`
		}{}
		if err := aboutJob(&of, http.MethodGet, "jobs_u/get/", job, asked{query: map[string]string{"no_logs": "true"}}); err != nil {
			return err
		}
		flow = of.ParentJob
	}
	if flow != "" {
		body["flow_job_id"] = flow
	}
	part, err := pathPart(job)
	if err != nil {
		return err
	}
	_, _, err = call(http.MethodPost, "job_metrics/set_progress/"+part, asked{body: body})
	return err
}

// GetProgress returns the progress of a job in percent, or false if it has not reported any. The job defaults to the one that runs this code.
func GetProgress(id ...string) (percent int, said bool, err error) {
	job, err := jobOr(id)
	if err != nil {
		return 0, false, err
	}
	var answer *float64
	if err := aboutJob(&answer, http.MethodGet, "job_metrics/get_progress/", job, asked{}); err != nil || answer == nil {
		return 0, false, err
	}
	return int(*answer), true, nil
}

func aboutJob(into any, method, route, id string, asked asked) error {
	part, err := pathPart(id)
	if err != nil {
		return err
	}
	return callInto(into, method, route+part, asked)
}
