import type { GoFunction } from "../../../core/builds/go-source.ts";

/** The package of the script. In package `main` the function `main` could have neither parameters nor results. */
export const ENTRY_PACKAGE = "inner";

/** Generates the program that calls the script's package. */
export function generateGoProgram(module: string): string {
  return `package main

import "${module}/${ENTRY_PACKAGE}"

func main() { ${ENTRY_PACKAGE}.SvcRun() }
`;
}

/**
 * Generates a file for the script's package that can call every top-level function by its name and decodes each argument into the
 * parameter's type. Reflection finds the types, so the file needs none of the script's imports.
 */
export function generateGoWrapper(functions: GoFunction[], file: string): string {
  const callable = functions.filter(({ name, generic }) => !generic && name !== "init" && name !== "_");
  const entries = callable.map(
    ({ name, params }) =>
      `\t${JSON.stringify(name)}: {${name}, []string{${params.map((param) => JSON.stringify(param.name)).join(", ")}}},`,
  );
  return `package ${ENTRY_PACKAGE}

${IMPORTS}
type svcEntry struct {
	call   any
	params []string
}

var svcEntries = map[string]svcEntry{
${entries.join("\n")}
}

const svcFile = ${JSON.stringify(file)}
${BODY}`;
}

const IMPORTS = `import (
	svcbytes "bytes"
	svcjson "encoding/json"
	svcfmt "fmt"
	svcos "os"
	svcreflect "reflect"
	svcruntime "runtime"
	svcstrings "strings"
)
`;

const BODY = `
type svcError struct {
	Name    string \`json:"name"\`
	Message string \`json:"message"\`
	Stack   string \`json:"stack,omitempty"\`
}

type svcReply struct {
	Ok     bool      \`json:"ok"\`
	Result any       \`json:"result"\`
	Error  *svcError \`json:"error,omitempty"\`
}

func SvcRun() {
	reply := svcCall()
	var line svcbytes.Buffer
	encoder := svcjson.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(reply); err != nil {
		line.Reset()
		reply = svcReply{Error: &svcError{Name: "ResultError", Message: "the result cannot be converted to JSON: " + err.Error()}}
		encoder.Encode(reply)
	}
	out := svcos.NewFile(3, "result")
	out.Write(line.Bytes())
	out.Close()
}

func svcCall() (reply svcReply) {
	defer func() {
		if cause := recover(); cause != nil {
			reply = svcReply{Error: &svcError{Name: "Panic", Message: svcfmt.Sprint(cause), Stack: svcStack()}}
		}
	}()
	name := svcos.Getenv("SVC_ENTRYPOINT")
	if name == "" {
		name = "main"
	}
	entry, found := svcEntries[name]
	if !found && name == "main" {
		entry, found = svcEntries["Main"]
	}
	if !found {
		return svcFailure("NoSuchFunction", "there is no function " + name + " in " + svcFile)
	}
	text, err := svcos.ReadFile(svcos.Getenv("SVC_ARGS_PATH"))
	if err != nil {
		return svcFailure("ArgumentError", err.Error())
	}
	given := map[string]svcjson.RawMessage{}
	if err := svcjson.Unmarshal(text, &given); err != nil {
		return svcFailure("ArgumentError", "the arguments are not a JSON object: "+err.Error())
	}
	call := svcreflect.ValueOf(entry.call)
	args := make([]svcreflect.Value, len(entry.params))
	for i, param := range entry.params {
		value := svcreflect.New(call.Type().In(i))
		if raw, present := given[param]; present {
			if err := svcjson.Unmarshal(raw, value.Interface()); err != nil {
				return svcFailure("ArgumentError", "argument "+param+" does not fit "+call.Type().In(i).String()+": "+err.Error())
			}
		}
		args[i] = value.Elem()
	}
	if call.Type().IsVariadic() {
		return svcResult(call.CallSlice(args))
	}
	return svcResult(call.Call(args))
}

func svcResult(values []svcreflect.Value) svcReply {
	results := []any{}
	for i, value := range values {
		if i == len(values)-1 && value.Type().Implements(svcreflect.TypeFor[error]()) {
			if failure, failed := value.Interface().(error); failed && failure != nil {
				return svcFailure(svcErrorName(failure), failure.Error())
			}
			continue
		}
		results = append(results, value.Interface())
	}
	switch len(results) {
	case 0:
		return svcReply{Ok: true}
	case 1:
		return svcReply{Ok: true, Result: results[0]}
	}
	return svcReply{Ok: true, Result: results}
}

func svcFailure(name string, message string) svcReply {
	return svcReply{Error: &svcError{Name: name, Message: message}}
}

// The author's own error types keep their names; those that only wrap a text are plain errors.
func svcErrorName(failure error) string {
	name := svcstrings.TrimPrefix(svcreflect.TypeOf(failure).String(), "*")
	if name == "errors.errorString" || name == "fmt.wrapError" || name == "fmt.wrapErrors" || name == "errors.joinError" {
		return "Error"
	}
	return svcstrings.TrimPrefix(name, "${ENTRY_PACKAGE}.")
}

func svcStack() string {
	pcs := make([]uintptr, 64)
	frames := svcruntime.CallersFrames(pcs[:svcruntime.Callers(0, pcs)])
	lines := []string{}
	for {
		frame, more := frames.Next()
		at := svcstrings.Index(frame.File, svcFile)
		if at >= 0 {
			name := frame.Function[svcstrings.LastIndex(frame.Function, "/")+1:]
			name = svcstrings.TrimPrefix(name, "${ENTRY_PACKAGE}.")
			lines = append(lines, svcfmt.Sprintf("    at %s (%s:%d)", name, frame.File[at:], frame.Line))
		}
		if !more {
			break
		}
	}
	return svcstrings.Join(lines, "\\n")
}
`;
