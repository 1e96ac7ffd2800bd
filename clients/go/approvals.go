package svc

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
)

// ResumeUrls are the URLs of one approval. ApprovalPage is for people: opening it does not decide. Resume and
// Cancel are secrets: POST to them approves, with any JSON as payload, or rejects.
type ResumeUrls struct {
	ApprovalPage string `json:"approvalPage"`
	Resume       string `json:"resume"`
	Cancel       string `json:"cancel"`
}

// GetResumeUrls creates the URLs that approve or reject the step that runs this code. Each call returns new URLs, and each counts once.
// The URLs allow their holder to decide: send the page to people and the others only to programs. approver is the name of the approver that the
// flow sees in approvers; it may be empty. With flowLevel, the URLs apply to the next step of the flow that requests approval, even before
// it does.
func GetResumeUrls(approver string, flowLevel ...bool) (ResumeUrls, error) {
	urls := ResumeUrls{}
	job, err := jobOr(nil)
	if err != nil {
		return urls, err
	}
	part, err := pathPart(job)
	if err != nil {
		return urls, err
	}
	random := make([]byte, 4)
	if _, err := rand.Read(random); err != nil {
		return urls, err
	}
	resumeID := strconv.FormatUint(uint64(binary.BigEndian.Uint32(random)), 10)
	query := map[string]string{"approver": approver}
	if len(flowLevel) > 0 && flowLevel[0] {
		query["flow_level"] = "true"
	}
	err = callInto(&urls, http.MethodGet, "jobs/resume_urls/"+part+"/"+resumeID, asked{query: query})
	return urls, err
}

// ChatApproval is a request for an approval in a chat. Only ChatResourcePath is required.
type ChatApproval struct {
	// ChatResourcePath is the path of the resource of type slack, which the job must be allowed to read.
	ChatResourcePath string
	// ChannelID is the id of the channel. Default: the default channel of the resource.
	ChannelID string
	// Message is a text for the approvers.
	Message string
	// Approver is the name of the approver, which the message shows. It does not limit who may decide.
	Approver string
	// DefaultArgsJSON contains the values with which the fields of the form begin.
	DefaultArgsJSON map[string]any
	// DynamicEnumsJSON contains the choices of fields of the form.
	DynamicEnumsJSON map[string][]any
	// ResumeButtonText and CancelButtonText are the labels of the buttons.
	ResumeButtonText, CancelButtonText string
}

// RequestInteractiveChatApproval posts a message whose buttons approve or reject the step that runs this code. The step must have the
// option suspend. Call it once for each channel. A repeated call with the same resource and channel posts nothing, and a message that
// cannot be posted is an *APIError.
func RequestInteractiveChatApproval(approval ChatApproval) error {
	step := jobVariable("FLOW_STEP_ID")
	if step == "" {
		return errors.New("this does not run in a step of a flow (WM_FLOW_STEP_ID is not set), so there is nothing to approve")
	}
	job, err := jobOr(nil)
	if err != nil {
		return err
	}
	part, err := pathPart(job)
	if err != nil {
		return err
	}
	query := map[string]string{
		"slack_resource_path": approval.ChatResourcePath,
		"channel_id":          approval.ChannelID,
		"flow_step_id":        step,
		"message":             approval.Message,
		"approver":            approval.Approver,
		"resume_button_text":  approval.ResumeButtonText,
		"cancel_button_text":  approval.CancelButtonText,
	}
	if approval.DefaultArgsJSON != nil {
		if query["default_args_json"], err = toJSON(approval.DefaultArgsJSON); err != nil {
			return err
		}
	}
	if approval.DynamicEnumsJSON != nil {
		if query["dynamic_enums_json"], err = toJSON(approval.DynamicEnumsJSON); err != nil {
			return err
		}
	}
	_, _, err = call(http.MethodGet, "jobs/slack_approval/"+part, asked{query: query})
	return err
}

// RequestInteractiveSlackApproval is an alias with the older name.
func RequestInteractiveSlackApproval(approval ChatApproval) error {
	return RequestInteractiveChatApproval(approval)
}

// toJSON encodes a value as the other clients do, without escapes for HTML.
func toJSON(value any) (string, error) {
	text := &bytes.Buffer{}
	encoder := json.NewEncoder(text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return strings.TrimSpace(text.String()), err
}
