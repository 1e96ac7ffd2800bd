// Executes the calls of a test: reads one {"call", "args"} per line, calls that helper, and prints {"result"} or {"error"}. Arguments are
// those of the TypeScript helpers.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	svc "svc.invalid/client"
)

type asked struct {
	Call string `json:"call"`
	Args []any  `json:"args"`
}

func (a asked) at(i int) any {
	if i < len(a.Args) {
		return a.Args[i]
	}
	return nil
}

func (a asked) text(i int) string {
	text, _ := a.at(i).(string)
	return text
}

func (a asked) flag(i int) bool {
	flag, _ := a.at(i).(bool)
	return flag
}

func (a asked) number(i int) float64 {
	number, _ := a.at(i).(float64)
	return number
}

func (a asked) object(i int) map[string]any {
	object, _ := a.at(i).(map[string]any)
	return object
}

func (a asked) file(i int) (file svc.S3Object, err error) {
	if short := a.text(i); short != "" {
		return svc.ParseS3Object(short)
	}
	object := a.object(i)
	file.S3, _ = object["s3"].(string)
	file.Storage, _ = object["storage"].(string)
	file.Presigned, _ = object["presigned"].(string)
	return file, nil
}

func (a asked) files(i int) (files []svc.S3Object, err error) {
	list, _ := a.at(i).([]any)
	for _, item := range list {
		file, err := asked{Args: []any{item}}.file(0)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

func (a asked) approval(resource string) (approval svc.ChatApproval) {
	text := func(name string) string { return asked{Args: []any{a.object(0)[name]}}.text(0) }
	approval = svc.ChatApproval{
		ChatResourcePath: text(resource), ChannelID: text("channelId"), Message: text("message"), Approver: text("approver"),
		ResumeButtonText: text("resumeButtonText"), CancelButtonText: text("cancelButtonText"),
	}
	approval.DefaultArgsJSON, _ = a.object(0)["defaultArgsJson"].(map[string]any)
	if choices, ok := a.object(0)["dynamicEnumsJson"].(map[string]any); ok {
		approval.DynamicEnumsJSON = map[string][]any{}
		for name, values := range choices {
			approval.DynamicEnumsJSON[name], _ = values.([]any)
		}
	}
	return approval
}

func (a asked) collabApproval() svc.CollabApproval {
	text := func(name string) string { return asked{Args: []any{a.object(0)[name]}}.text(0) }
	content := a.approval("chatResourcePath")
	return svc.CollabApproval{
		TeamName: text("teamName"), ChannelName: text("channelName"), ChatResourcePath: content.ChatResourcePath,
		Message: content.Message, Approver: content.Approver, DefaultArgsJSON: content.DefaultArgsJSON,
		DynamicEnumsJSON: content.DynamicEnumsJSON, ResumeButtonText: content.ResumeButtonText, CancelButtonText: content.CancelButtonText,
	}
}

func (a asked) teamsMessage() svc.TeamsMessage {
	text := func(name string) string { return asked{Args: []any{a.object(0)[name]}}.text(0) }
	message := svc.TeamsMessage{ConversationID: text("conversationId"), Text: text("text")}
	message.CardBlock, _ = a.object(0)["cardBlock"].(map[string]any)
	if success, ok := a.object(0)["success"].(bool); ok {
		message.Success = &success
	}
	return message
}

func (a asked) waiting() svc.RunOptions {
	return svc.RunOptions{Verbose: a.flag(2), Tag: a.text(3)}
}

func (a asked) later() svc.RunOptions {
	return svc.RunOptions{ScheduledIn: time.Duration(a.number(2)) * time.Second, Tag: a.text(3)}
}

var helpers = map[string]func(a asked) (any, error){
	"setClient": func(a asked) (any, error) { svc.SetClient(a.text(0), a.text(1), a.text(2)); return nil, nil },
	"getResource": func(a asked) (any, error) {
		if a.flag(1) {
			return svc.GetState(a.text(0))
		}
		return svc.GetResource(a.text(0))
	},
	"setResource":             func(a asked) (any, error) { return nil, svc.SetResource(a.at(0), a.text(1), a.text(2)) },
	"getState":                func(a asked) (any, error) { return svc.GetState(a.text(0)) },
	"setState":                func(a asked) (any, error) { return nil, svc.SetState(a.at(0), a.text(1)) },
	"getVariable":             func(a asked) (any, error) { return svc.GetVariable(a.text(0)) },
	"setVariable":             func(a asked) (any, error) { return nil, svc.SetVariable(a.text(0), a.text(1), a.flag(2), a.text(3)) },
	"usernameToEmail":         func(a asked) (any, error) { return svc.UsernameToEmail(a.text(0)) },
	"getIdToken":              func(a asked) (any, error) { return svc.GetIDToken(a.text(0), int(a.number(1))) },
	"databaseUrlFromResource": func(a asked) (any, error) { return svc.DatabaseURLFromResource(a.text(0)) },
	"runScriptByPath":         func(a asked) (any, error) { return svc.RunScriptByPath(a.text(0), a.object(1), a.waiting()) },
	"runScriptByHash":         func(a asked) (any, error) { return svc.RunScriptByHash(a.text(0), a.object(1), a.waiting()) },
	"runScriptByPathAsync":    func(a asked) (any, error) { return svc.RunScriptByPathAsync(a.text(0), a.object(1), a.later()) },
	"runScriptByHashAsync":    func(a asked) (any, error) { return svc.RunScriptByHashAsync(a.text(0), a.object(1), a.later()) },
	"waitJob":                 func(a asked) (any, error) { return svc.WaitJob(a.text(0)) },
	"getResult":               func(a asked) (any, error) { return svc.GetResult(a.text(0)) },
	"getResultMaybe":          func(a asked) (any, error) { return svc.GetResultMaybe(a.text(0)) },
	"cancelJob":               func(a asked) (any, error) { return svc.CancelJob(a.text(0), a.text(1)) },
	"getRootJobId":            func(a asked) (any, error) { return svc.GetRootJobID(a.text(0)) },
	"setProgress":             func(a asked) (any, error) { return nil, svc.SetProgress(int(a.number(0)), a.text(1)) },
	"getResumeUrls":           func(a asked) (any, error) { return svc.GetResumeUrls(a.text(0), a.flag(1)) },
	"requestInteractiveChatApproval": func(a asked) (any, error) {
		return nil, svc.RequestInteractiveChatApproval(a.approval("chatResourcePath"))
	},
	"requestInteractiveDiscordApproval": func(a asked) (any, error) {
		return nil, svc.RequestInteractiveDiscordApproval(a.approval("chatResourcePath"))
	},
	"requestInteractiveCollabApproval": func(a asked) (any, error) {
		return nil, svc.RequestInteractiveCollabApproval(a.collabApproval())
	},
	"requestInteractiveTeamsApproval": func(a asked) (any, error) {
		return nil, svc.RequestInteractiveTeamsApproval(a.collabApproval())
	},
	"sendTeamsMessage": func(a asked) (any, error) { return nil, svc.SendTeamsMessage(a.teamsMessage()) },
	"requestInteractiveSlackApproval": func(a asked) (any, error) {
		return nil, svc.RequestInteractiveSlackApproval(a.approval("slackResourcePath"))
	},
	"getProgress": func(a asked) (any, error) {
		percent, said, err := svc.GetProgress(a.text(0))
		if !said {
			return nil, err
		}
		return percent, err
	},
	"loadS3File": func(a asked) (any, error) {
		file, err := a.file(0)
		if err != nil {
			return nil, err
		}
		content, err := svc.LoadS3File(file, svc.FileOptions{S3ResourcePath: a.text(1)})
		return string(content), err
	},
	"writeS3File": func(a asked) (any, error) {
		file, err := a.file(0)
		if err != nil {
			return nil, err
		}
		return svc.WriteS3Text(file, a.text(1), svc.FileOptions{S3ResourcePath: a.text(2), ContentType: a.text(3), ContentDisposition: a.text(4)})
	},
	"deleteS3File": func(a asked) (any, error) {
		file, err := a.file(0)
		if err != nil {
			return nil, err
		}
		return nil, svc.DeleteS3File(file, svc.FileOptions{S3ResourcePath: a.text(1)})
	},
	"signS3Objects": func(a asked) (any, error) {
		files, err := a.files(0)
		if err != nil {
			return nil, err
		}
		return svc.SignS3Objects(files...)
	},
	"getPresignedS3PublicUrls": func(a asked) (any, error) {
		files, err := a.files(0)
		if err != nil {
			return nil, err
		}
		return svc.PresignedS3PublicURLs(files...)
	},
	"appendToResultStream": func(a asked) (any, error) { svc.AppendToResultStream(a.text(0)); return nil, nil },
	"streamResult": func(a asked) (any, error) {
		texts, _ := a.at(0).([]any)
		stream := make(chan string, len(texts))
		for _, text := range texts {
			stream <- text.(string)
		}
		close(stream)
		svc.StreamResult(stream)
		return nil, nil
	},
}

func answer(a asked) map[string]any {
	helper, found := helpers[a.Call]
	if !found {
		return map[string]any{"error": map[string]any{"name": "NoHelper", "message": "There is no helper " + a.Call + "."}}
	}
	result, err := helper(a)
	if err == nil {
		return map[string]any{"result": result}
	}
	described := map[string]any{"name": "Error", "message": err.Error()}
	var refused *svc.APIError
	if errors.As(err, &refused) {
		described["name"], described["status"], described["code"] = "ApiError", refused.Status, refused.Code
	}
	var failed *svc.JobError
	if errors.As(err, &failed) {
		described["name"], described["failure"] = "JobError", failed
	}
	return map[string]any{"error": described}
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var a asked
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			panic(err)
		}
		text, err := json.Marshal(answer(a))
		if err != nil {
			panic(err)
		}
		fmt.Printf("ANSWER %s\n", text)
	}
}
