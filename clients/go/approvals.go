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

// ChatApproval is a request for an approval in Slack or in Discord. Only ChatResourcePath is required.
type ChatApproval struct {
	// ChatResourcePath is the path of the resource of type slack or discord, which the job must be allowed to read.
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

// RequestInteractiveChatApproval posts a message to Slack whose buttons approve or reject the step that runs this code. The step must have
// the option suspend. Call it once for each channel. A repeated call with the same resource and channel posts nothing, and a message that
// cannot be posted is an *APIError.
func RequestInteractiveChatApproval(approval ChatApproval) error {
	job, query, err := approval.describe()
	if err != nil {
		return err
	}
	query["slack_resource_path"] = approval.ChatResourcePath
	query["channel_id"] = approval.ChannelID
	_, _, err = call(http.MethodGet, "jobs/slack_approval/"+job, asked{query: query})
	return err
}

// RequestInteractiveSlackApproval is an alias with the older name.
func RequestInteractiveSlackApproval(approval ChatApproval) error {
	return RequestInteractiveChatApproval(approval)
}

// RequestInteractiveDiscordApproval posts a message to Discord, in the same way as RequestInteractiveChatApproval.
func RequestInteractiveDiscordApproval(approval ChatApproval) error {
	job, fields, err := approval.describe()
	if err != nil {
		return err
	}
	fields["discord_resource_path"] = approval.ChatResourcePath
	fields["channel_id"] = approval.ChannelID
	for name, value := range fields {
		if value == "" {
			delete(fields, name)
		}
	}
	_, _, err = call(http.MethodPost, "jobs/discord_approval/"+job, asked{body: fields})
	return err
}

// CollabApproval is a request for an approval in Microsoft Teams. Only TeamName and ChannelName are required.
type CollabApproval struct {
	// TeamName and ChannelName are those of a team and its channel in which the bot is installed.
	TeamName, ChannelName string
	// ChatResourcePath is the path of the resource of the bot, if the workspace has several.
	ChatResourcePath string
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

// RequestInteractiveCollabApproval posts a message to Microsoft Teams, in the same way as RequestInteractiveChatApproval.
func RequestInteractiveCollabApproval(approval CollabApproval) error {
	content := ChatApproval{
		Message: approval.Message, Approver: approval.Approver, DefaultArgsJSON: approval.DefaultArgsJSON,
		DynamicEnumsJSON: approval.DynamicEnumsJSON, ResumeButtonText: approval.ResumeButtonText, CancelButtonText: approval.CancelButtonText,
	}
	job, query, err := content.describe()
	if err != nil {
		return err
	}
	query["team_name"] = approval.TeamName
	query["channel_name"] = approval.ChannelName
	query["chat_resource_path"] = approval.ChatResourcePath
	_, _, err = call(http.MethodGet, "jobs/teams_approval/"+job, asked{query: query})
	return err
}

// RequestInteractiveTeamsApproval is an alias with the older name.
func RequestInteractiveTeamsApproval(approval CollabApproval) error {
	return RequestInteractiveCollabApproval(approval)
}

// TeamsMessage is a message to a conversation in Microsoft Teams. ConversationID and Text are required.
type TeamsMessage struct {
	// ConversationID is the id of a conversation of the workspace's bot.
	ConversationID string `json:"conversation_id"`
	Text           string `json:"text"`
	// CardBlock is an adaptive card below the text.
	CardBlock map[string]any `json:"card_block,omitempty"`
	// Success tells whether the message reports a success.
	Success *bool `json:"success,omitempty"`
}

// SendTeamsMessage sends a message to a conversation in Microsoft Teams. A step that waits for an approval adds a link to its approval page.
func SendTeamsMessage(message TeamsMessage) error {
	_, _, err := call(http.MethodPost, "/api/teams/activities", asked{body: message})
	return err
}

// describe returns the path of the job that runs this code, and the fields of a request for the approval of its step.
func (approval ChatApproval) describe() (job string, fields map[string]string, err error) {
	step := jobVariable("FLOW_STEP_ID")
	if step == "" {
		return "", nil, errors.New("this does not run in a step of a flow (WM_FLOW_STEP_ID is not set), so there is nothing to approve")
	}
	id, err := jobOr(nil)
	if err != nil {
		return "", nil, err
	}
	if job, err = pathPart(id); err != nil {
		return "", nil, err
	}
	fields = map[string]string{
		"flow_step_id":       step,
		"message":            approval.Message,
		"approver":           approval.Approver,
		"resume_button_text": approval.ResumeButtonText,
		"cancel_button_text": approval.CancelButtonText,
	}
	if approval.DefaultArgsJSON != nil {
		if fields["default_args_json"], err = toJSON(approval.DefaultArgsJSON); err != nil {
			return "", nil, err
		}
	}
	if approval.DynamicEnumsJSON != nil {
		if fields["dynamic_enums_json"], err = toJSON(approval.DynamicEnumsJSON); err != nil {
			return "", nil, err
		}
	}
	return job, fields, nil
}

// toJSON encodes a value as the other clients do, without escapes for HTML.
func toJSON(value any) (string, error) {
	text := &bytes.Buffer{}
	encoder := json.NewEncoder(text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return strings.TrimSpace(text.String()), err
}
