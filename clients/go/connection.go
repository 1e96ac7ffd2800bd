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
	// Code is the service's word for the reason, such as "script.notFound"; empty when it gave none.
	Code string
	// Message is for people.
	Message string
}

func (e *APIError) Error() string {
	if e.Message == "" {
		return fmt.Sprintf("The service answered %d.", e.Status)
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

// SetClient sets the URL and the token, instead of the environment. An empty string selects the value of the environment: token
// to WM_TOKEN or OV_TOKEN, baseURL (the service's origin) to BASE_INTERNAL_URL or BASE_URL or http://localhost:8000, workspace to
// WM_WORKSPACE or OV_WORKSPACE. A script that svc runs never needs it.
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

// jobOr is the named job, else the one that this code runs in.
func jobOr(id []string) (string, error) {
	if len(id) > 0 && id[0] != "" {
		return id[0], nil
	}
	if own := jobVariable("JOB_ID"); own != "" {
		return own, nil
	}
	return "", errors.New("this does not run in a job (WM_JOB_ID is not set): name the job")
}

// mocked is the value that the file WM_MOCKED_API_FILE has for a path, for runs on a developer's machine.
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

// A large file is answered by a redirect to its storage, which must not see the token, not even on another port of the same host.
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
	// Sent as it is.
	content     []byte
	contentType string
}

// workspaceURL is where the workspace's routes begin; publicly is another origin, for addresses that others get.
func workspaceURL(publicly string) string {
	to := current()
	return strings.TrimRight(first(publicly, to.baseURL), "/") + "/api/w/" + url.PathEscape(to.workspace)
}

// call calls a route of the workspace: the answer's body and content type.
func call(method, route string, asked asked) ([]byte, string, error) {
	to := current()
	address := workspaceURL("") + "/" + route
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

// callInto reads the body of a JSON answer into a value, of any other as text.
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
	return fmt.Errorf("the service answered %q where JSON was expected", contentType)
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
