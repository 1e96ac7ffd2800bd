package svc

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// statePath returns the default path of a job's state: one resource for each script and the user as whom it runs.
func statePath(path []string) (string, error) {
	if len(path) > 0 && path[0] != "" {
		return path[0], nil
	}
	if own := first(jobVariable("STATE_PATH_NEW"), jobVariable("STATE_PATH")); own != "" {
		return own, nil
	}
	return "", errors.New("this does not run in a job (WM_STATE_PATH is not set): name the path")
}

func bare(path string, prefixes ...string) string {
	for _, prefix := range prefixes {
		if rest, found := strings.CutPrefix(path, prefix); found {
			return rest
		}
	}
	return path
}

// GetResource returns the value of a resource (a connection) with its references resolved. The path
// is f/ops/db, also written $res:f/ops/db or res://f/ops/db. Objects are map[string]any, numbers float64, as encoding/json reads them.
// IsNotFound(err) is true if it is missing or not visible to the caller.
func GetResource(path string) (any, error) {
	path = bare(path, "$res:", "res://")
	value, found, err := mocked("resources", path)
	if found || err != nil {
		return value, err
	}
	part, err := pathPart(path)
	if err != nil {
		return nil, err
	}
	err = callInto(&value, http.MethodGet, "resources/get_value_interpolated/"+part, asked{})
	return value, err
}

// SetResource sets the value of a resource. A missing resource is created with the resource type if one is given; otherwise the call
// returns an error for which IsNotFound is true.
func SetResource(value any, path string, resourceType ...string) error {
	path = bare(path, "$res:", "res://")
	part, err := pathPart(path)
	if err != nil {
		return err
	}
	exists := false
	if err := callInto(&exists, http.MethodGet, "resources/exists/"+part, asked{}); err != nil {
		return err
	}
	if exists {
		_, _, err = call(http.MethodPost, "resources/update_value/"+part, asked{body: map[string]any{"value": value}})
		return err
	}
	if len(resourceType) == 0 || resourceType[0] == "" {
		return &APIError{http.StatusNotFound, "", "There is no resource " + path + ", and no type was given to create it with."}
	}
	// Another run may have created it concurrently: the later call wins, as with two updates.
	_, _, err = call(http.MethodPost, "resources/create", asked{
		query: map[string]string{"update_if_exists": "true"},
		body:  map[string]any{"path": path, "value": value, "resource_type": resourceType[0]},
	})
	return err
}

// GetState returns the value that an earlier run of this script stored with SetState, or nil. The path defaults to one
// for this script and the user as whom it runs.
func GetState(path ...string) (any, error) {
	at, err := statePath(path)
	if err != nil {
		return nil, err
	}
	value, err := GetResource(at)
	if IsNotFound(err) {
		return nil, nil
	}
	return value, err
}

// SetState stores a value for later runs of this script. If two runs store a value at once, the later one wins.
func SetState(state any, path ...string) error {
	at, err := statePath(path)
	if err != nil {
		return err
	}
	return SetResource(state, at, "state")
}

// GetVariable returns the value of a variable, which may be secret. The path is f/ops/token, also written $var:f/ops/token or var://f/ops/token.
// IsNotFound(err) is true if it is missing or not visible to the caller.
func GetVariable(path string) (string, error) {
	path = bare(path, "$var:", "var://")
	known, found, err := mocked("variables", path)
	if err != nil {
		return "", err
	}
	if found {
		return fmt.Sprint(known), nil
	}
	part, err := pathPart(path)
	if err != nil {
		return "", err
	}
	value := ""
	err = callInto(&value, http.MethodGet, "variables/get_value/"+part, asked{})
	return value, err
}

// SetVariable sets the value of a variable, or creates it. isSecret and description apply only to a new variable: an existing
// variable retains both.
func SetVariable(path, value string, isSecret bool, description string) error {
	path = bare(path, "$var:", "var://")
	part, err := pathPart(path)
	if err != nil {
		return err
	}
	exists := false
	if err := callInto(&exists, http.MethodGet, "variables/exists/"+part, asked{}); err != nil {
		return err
	}
	if exists {
		_, _, err = call(http.MethodPost, "variables/update/"+part, asked{body: map[string]any{"value": value}})
		return err
	}
	_, _, err = call(http.MethodPost, "variables/create", asked{
		body: map[string]any{"path": path, "value": value, "is_secret": isSecret, "description": description},
	})
	return err
}

// UsernameToEmail returns the address of a user of the workspace. IsNotFound(err) is true if there is no such user.
func UsernameToEmail(username string) (string, error) {
	part, err := pathPart(username)
	if err != nil {
		return "", err
	}
	email := ""
	err = callInto(&email, http.MethodGet, "users/username_to_email/"+part, asked{})
	return email, err
}

// GetIDToken returns an OpenID Connect ID token of the job that runs this code, for another service, such as "sts.amazonaws.com". It is valid
// for the given number of seconds, 60 to 86,400; default: an hour.
func GetIDToken(audience string, expiresIn ...int) (string, error) {
	query := map[string]string{}
	if len(expiresIn) > 0 {
		query["expires_in"] = strconv.Itoa(expiresIn[0])
	}
	token := ""
	err := callInto(&token, http.MethodPost, "oidc/token/"+url.QueryEscape(audience), asked{query: query})
	return token, err
}

// DatabaseURLFromResource returns a connection URL, postgresql://user:password@host:port/dbname?sslmode=…, for a resource of type postgresql.
// The URL contains the password.
func DatabaseURLFromResource(path string) (string, error) {
	value, err := GetResource(path)
	if err != nil {
		return "", err
	}
	fields, ok := value.(map[string]any)
	if !ok {
		return "", fmt.Errorf("the resource %s does not describe a database", path)
	}
	text := func(name, otherwise string) string {
		if field, given := fields[name]; given && field != nil {
			return fmt.Sprint(field)
		}
		return otherwise
	}
	login := escaped(text("user", ""))
	if password := text("password", ""); password != "" {
		login = strings.TrimPrefix(login+":"+escaped(password), ":")
	}
	if login != "" {
		login += "@"
	}
	host := text("host", "")
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	mode := text("sslmode", "")
	if mode != "" {
		mode = "?sslmode=" + escaped(mode)
	}
	return "postgresql://" + login + host + ":" + text("port", "5432") + "/" + escaped(text("dbname", "")) + mode, nil
}

// escaped percent-encodes every character with a meaning in a URL.
func escaped(text string) string {
	return strings.ReplaceAll(url.QueryEscape(text), "+", "%20")
}
