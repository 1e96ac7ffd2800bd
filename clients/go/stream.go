package svc

import (
	"fmt"
	"strings"
)

// AppendToResultStream adds text to the job's result stream. A caller of run_and_stream receives it while the job is running. It travels
// as a line of the job's output, so do not print half a line before it.
func AppendToResultStream(text string) {
	// A newline is written `\n`. A backslash before an n that the text has itself ends a line, and the n begins the next.
	parts := strings.Split(text, "\\n")
	for i, part := range parts {
		parts[i] = strings.ReplaceAll(part, "\n", "\\n")
	}
	fmt.Println("WM_STREAM: " + strings.Join(parts, "\\\nWM_STREAM: n"))
}

// StreamResult adds all that comes out of a channel to the job's result stream, piece by piece, until it is closed.
func StreamResult(stream <-chan string) {
	for text := range stream {
		AppendToResultStream(text)
	}
}
