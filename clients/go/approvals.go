package svc

import (
	"crypto/rand"
	"encoding/binary"
	"net/http"
	"strconv"
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
