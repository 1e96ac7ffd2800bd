package svc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
)

// APIError is the error response of the service.
type APIError struct {
	// Status is the HTTP status.
	Status int
	// Code is the error code of the service, such as "script.notFound"; empty if the response has none.
	Code string
	// Message is the error sentence for people.
	Message string
}

func (e *APIError) Error() string {
	if e.Message == "" {
		return fmt.Sprintf("The service returned status %d.", e.Status)
	}
	return e.Message
}

// IsNotFound reports whether an error means that the object is missing or not visible to the caller.
func IsNotFound(err error) bool {
	var refused *APIError
	return errors.As(err, &refused) && refused.Status == http.StatusNotFound
}

type connection struct{ token, baseURL, workspace string }

var (
	choosing sync.RWMutex
	chosen   connection
)

// SetClient replaces the URL and the token of the environment. An empty string selects the value of the environment: token
// to WM_TOKEN or OV_TOKEN, baseURL (the service's origin) to BASE_INTERNAL_URL or BASE_URL or http://localhost:8000, workspace to
// WM_WORKSPACE or OV_WORKSPACE. A script that svc runs does not need it.
func SetClient(token, baseURL, workspace string) {
	choosing.Lock()
	defer choosing.Unlock()
	chosen = connection{token, baseURL, workspace}
}

func current() connection {
	choosing.RLock()
	defer choosing.RUnlock()
	return connection{
		token:     first(chosen.token, jobVariable("TOKEN")),
		baseURL:   strings.TrimRight(first(chosen.baseURL, os.Getenv("BASE_INTERNAL_URL"), os.Getenv("BASE_URL"), "http://localhost:8000"), "/"),
		workspace: first(chosen.workspace, jobVariable("WORKSPACE"), "no_workspace"),
	}
}

func first(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

// jobVariable is a variable of the job, in either of its spellings.
func jobVariable(name string) string {
	return first(os.Getenv("WM_"+name), os.Getenv("OV_"+name))
}

// jobOr returns the named job, or the job that runs this code.
func jobOr(id []string) (string, error) {
	if len(id) > 0 && id[0] != "" {
		return id[0], nil
	}
	if own := jobVariable("JOB_ID"); own != "" {
		return own, nil
	}
	return "", errors.New("this does not run in a job (WM_JOB_ID is not set): name the job")
}

// mocked returns the value of a path in the file WM_MOCKED_API_FILE, for runs on a developer's machine.
func mocked(kind, path string) (any, bool, error) {
	file := os.Getenv("WM_MOCKED_API_FILE")
	if file == "" {
		return nil, false, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, false, err
	}
	var values map[string]map[string]any
	if err := json.Unmarshal(text, &values); err != nil {
		return nil, false, err
	}
	value, found := values[kind][path]
	return value, found, nil
}

// The response for a large file is a redirect to its storage, which must not receive the token, not even on another port of the same host.
var client = &http.Client{CheckRedirect: func(next *http.Request, before []*http.Request) error {
	if next.URL.Host != before[0].URL.Host {
		next.Header.Del("Authorization")
	}
	if len(before) > 5 {
		return errors.New("too many redirects")
	}
	return nil
}}

type asked struct {
	// Empty values are omitted.
	query map[string]string
	// Sent as JSON.
	body any
	// Sent unchanged.
	content     []byte
	contentType string
}

// serviceURL returns the origin of the service; publicly selects that for URLs that users receive.
func serviceURL(publicly string) string {
	return strings.TrimRight(first(publicly, current().baseURL), "/")
}

// workspaceURL returns the base URL of the workspace's routes; publicly selects the origin for URLs that users receive.
func workspaceURL(publicly string) string {
	return serviceURL(publicly) + "/api/w/" + url.PathEscape(current().workspace)
}

// call calls a route of the workspace, or one of the service if it begins with a slash, and returns the body and the content type of the
// response.
func call(method, route string, asked asked) ([]byte, string, error) {
	to := current()
	address := workspaceURL("") + "/" + route
	if strings.HasPrefix(route, "/") {
		address = serviceURL("") + route
	}
	query := url.Values{}
	for name, value := range asked.query {
		if value != "" {
			query.Set(name, value)
		}
	}
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	content, contentType := asked.content, asked.contentType
	if asked.body != nil {
		text, err := json.Marshal(asked.body)
		if err != nil {
			return nil, "", err
		}
		content, contentType = text, "application/json"
	}
	request, err := http.NewRequest(method, address, bytes.NewReader(content))
	if err != nil {
		return nil, "", err
	}
	// A gateway may return bytes as base64 text unless the request accepts bytes.
	request.Header.Set("Accept", "*/*")
	if to.token != "" {
		request.Header.Set("Authorization", "Bearer "+to.token)
	}
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, "", err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, "", err
	}
	if response.StatusCode/100 != 2 {
		return nil, "", &APIError{response.StatusCode, response.Header.Get("x-svc-error"), string(answer)}
	}
	return answer, response.Header.Get("Content-Type"), nil
}

// callInto decodes the body of a JSON response into a value; any other body is text.
func callInto(into any, method, route string, asked asked) error {
	answer, contentType, err := call(method, route, asked)
	if err != nil {
		return err
	}
	if strings.Contains(contentType, "json") {
		return json.Unmarshal(answer, into)
	}
	if text, ok := into.(*string); ok {
		*text = string(answer)
		return nil
	}
	if value, ok := into.(*any); ok {
		*value = string(answer)
		return nil
	}
	return fmt.Errorf("the service returned %q instead of JSON", contentType)
}

// pathPart encodes a path for a URL and preserves its slashes. It rejects a path that would match another route.
func pathPart(path string) (string, error) {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if part == "" || part == "." || part == ".." {
			return "", fmt.Errorf("%q is not a path in a workspace", path)
		}
		parts[i] = url.PathEscape(part)
	}
	return strings.Join(parts, "/"), nil
}
