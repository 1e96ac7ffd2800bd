package svc

import (
	"fmt"
	"strings"
)

// AppendToResultStream adds text to the job's result stream. A caller of run_and_stream receives it while the job is running. The text is
// a line of the job's output, so do not print an incomplete line before it.
func AppendToResultStream(text string) {
	// A newline is written `\n`. A literal backslash before an n is split across two lines, so that readers do not take it for a newline.
	parts := strings.Split(text, "\\n")
	for i, part := range parts {
		parts[i] = strings.ReplaceAll(part, "\n", "\\n")
	}
	fmt.Println("WM_STREAM: " + strings.Join(parts, "\\\nWM_STREAM: n"))
}

// StreamResult adds each value of a channel to the job's result stream until the channel is closed.
func StreamResult(stream <-chan string) {
	for text := range stream {
		AppendToResultStream(text)
	}
}
