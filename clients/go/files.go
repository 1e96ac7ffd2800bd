package svc

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// The maximum size of a request body; larger files are sent directly to the storage.
const largestBody = 4 * 1024 * 1024

// S3Object is a reference to a file in the workspace's object storage, as in arguments and results.
type S3Object struct {
	// S3 is the file's key.
	S3 string `json:"s3"`
	// Storage is the name of a storage of the workspace; empty for the default one.
	Storage   string `json:"storage,omitempty"`
	Filename  string `json:"filename,omitempty"`
	Presigned string `json:"presigned,omitempty"`
}

// ParseS3Object reads the short form of a file, s3://<storage>/<key>, or s3:///<key> in the default storage.
func ParseS3Object(text string) (S3Object, error) {
	rest, ok := strings.CutPrefix(text, "s3://")
	storage, key, found := strings.Cut(rest, "/")
	if !ok || !found || key == "" {
		return S3Object{}, fmt.Errorf("%q is not a file: write s3://<storage>/<key>, or s3:///<key>", text)
	}
	return S3Object{S3: key, Storage: storage}, nil
}

// FileOptions are optional settings of a file operation.
type FileOptions struct {
	// S3ResourcePath is the resource of a storage other than the workspace's own.
	S3ResourcePath string
	// ContentType and ContentDisposition are the headers of downloads of a written file.
	ContentType, ContentDisposition string
}

func fileQuery(file S3Object, options []FileOptions) map[string]string {
	query := map[string]string{"file_key": file.S3, "storage": file.Storage}
	if len(options) > 0 {
		query["s3_resource_path"] = strings.TrimPrefix(options[0].S3ResourcePath, "$res:")
	}
	return query
}

// LoadS3File returns the content of a file. IsNotFound(err) is true if it does not exist.
func LoadS3File(file S3Object, options ...FileOptions) ([]byte, error) {
	content, _, err := call(http.MethodGet, "job_helpers/download_s3_file", asked{query: fileQuery(file, options)})
	return content, err
}

// WriteS3File writes a file and returns its location. An existing file is replaced. With an empty key, the service chooses one.
func WriteS3File(file S3Object, content []byte, options ...FileOptions) (S3Object, error) {
	return writeFile(file, content, "application/octet-stream", options)
}

// WriteS3Text is WriteS3File for text.
func WriteS3Text(file S3Object, content string, options ...FileOptions) (S3Object, error) {
	return writeFile(file, []byte(content), "text/plain", options)
}

func writeFile(file S3Object, content []byte, contentType string, options []FileOptions) (S3Object, error) {
	query := fileQuery(file, options)
	if len(content) > largestBody {
		return writeLargeFile(file, query, content, options)
	}
	if len(options) > 0 {
		query["content_type"] = options[0].ContentType
		query["content_disposition"] = options[0].ContentDisposition
	}
	answer := struct {
		FileKey string `json:"file_key"`
	}{}
	err := callInto(&answer, http.MethodPost, "job_helpers/upload_s3_file", asked{query: query, content: content, contentType: contentType})
	return S3Object{S3: answer.FileKey, Storage: file.Storage}, err
}

func writeLargeFile(file S3Object, query map[string]string, content []byte, options []FileOptions) (S3Object, error) {
	body := map[string]any{}
	for name, value := range query {
		if value != "" {
			body[name] = value
		}
	}
	place := struct {
		FileKey string `json:"file_key"`
		URL     string `json:"url"`
	}{}
	if err := callInto(&place, http.MethodPost, "job_helpers/presign_upload", asked{body: body}); err != nil {
		return S3Object{}, err
	}
	request, err := http.NewRequest(http.MethodPut, place.URL, bytes.NewReader(content))
	if err != nil {
		return S3Object{}, err
	}
	request.Header.Set("Content-Type", "application/octet-stream")
	if len(options) > 0 && options[0].ContentType != "" {
		request.Header.Set("Content-Type", options[0].ContentType)
	}
	if len(options) > 0 && options[0].ContentDisposition != "" {
		request.Header.Set("Content-Disposition", options[0].ContentDisposition)
	}
	response, err := client.Do(request)
	if err != nil {
		return S3Object{}, err
	}
	response.Body.Close()
	if response.StatusCode/100 != 2 {
		return S3Object{}, &APIError{response.StatusCode, "", fmt.Sprintf("The file could not be stored: its storage answered %d.", response.StatusCode)}
	}
	return S3Object{S3: place.FileKey, Storage: file.Storage}, nil
}

// DeleteS3File deletes a file.
func DeleteS3File(file S3Object, options ...FileOptions) error {
	_, _, err := call(http.MethodDelete, "job_helpers/delete_s3_file", asked{query: fileQuery(file, options)})
	return err
}

// SignS3Objects returns the files with Presigned, which makes them readable without a token for a day.
func SignS3Objects(files ...S3Object) ([]S3Object, error) {
	var signed []S3Object
	err := callInto(&signed, http.MethodPost, "apps/sign_s3_objects", asked{body: map[string]any{"s3_objects": files}})
	return signed, err
}

// PresignedS3PublicURLs returns URLs, below WM_BASE_URL, that serve files without a token. Each is valid for a day or, if its file has
// Presigned, as long as that.
func PresignedS3PublicURLs(files ...S3Object) ([]string, error) {
	var unsigned, signed []S3Object
	for _, file := range files {
		if file.Presigned == "" {
			unsigned = append(unsigned, file)
		}
	}
	if len(unsigned) > 0 {
		var err error
		if signed, err = SignS3Objects(unsigned...); err != nil {
			return nil, err
		}
	}
	base := workspaceURL(jobVariable("BASE_URL"))
	urls := make([]string, 0, len(files))
	for _, file := range files {
		if file.Presigned == "" {
			file, signed = signed[0], signed[1:]
		}
		parts := strings.Split(file.S3, "/")
		for i, part := range parts {
			parts[i] = url.PathEscape(part)
		}
		urls = append(urls, fmt.Sprintf("%s/s3_proxy/%s/%s?%s", base, first(file.Storage, "_default_"), strings.Join(parts, "/"), file.Presigned))
	}
	return urls, nil
}
