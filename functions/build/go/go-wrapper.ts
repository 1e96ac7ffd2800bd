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
	svcerrors "errors"
	svcfmt "fmt"
	svcmath "math"
	svcrand "math/rand/v2"
	svcos "os"
	svcreflect "reflect"
	svcregexp "regexp"
	svcruntime "runtime"
	svcslices "slices"
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
	line, err := svcEncode(reply)
	if err != nil {
		reply = svcReply{Error: &svcError{Name: "ResultError", Message: "the result cannot be converted to JSON: " + err.Error()}}
		line, _ = svcEncode(reply)
	}
	out := svcos.NewFile(3, "result")
	out.Write(line)
	out.Close()
}

// NaN and the infinities become null, as in other languages.
func svcEncode(reply svcReply) ([]byte, error) {
	line, err := svcMarshal(reply)
	var unsupported *svcjson.UnsupportedValueError
	if !svcerrors.As(err, &unsupported) || unsupported.Value.Kind() != svcreflect.Float32 && unsupported.Value.Kind() != svcreflect.Float64 {
		return line, err
	}
	// A field may have a type without null, so a random number represents it until the text exists.
	place := svcPlace{wide: 1e-280 * (1 + svcrand.Float64()), narrow: 1e-30 * (1 + svcrand.Float32())}
	reply.Result = place.fill(svcreflect.ValueOf(&reply.Result).Elem(), 0).Interface()
	line, err = svcMarshal(reply)
	for _, number := range []any{place.wide, place.narrow} {
		text, _ := svcjson.Marshal(number)
		line = svcbytes.ReplaceAll(line, []byte(svcfmt.Sprintf("%q", text)), []byte("null"))
		line = svcbytes.ReplaceAll(line, text, []byte("null"))
	}
	return line, err
}

func svcMarshal(reply svcReply) ([]byte, error) {
	var line svcbytes.Buffer
	encoder := svcjson.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(reply)
	return line.Bytes(), err
}

type svcPlace struct {
	wide   float64
	narrow float32
}

// Returns a copy of a value in which a number represents NaN and the infinities, because the script may still use the value itself.
func (place svcPlace) fill(value svcreflect.Value, depth int) svcreflect.Value {
	if !value.IsValid() || depth > 1000 {
		return value
	}
	made := svcreflect.New(value.Type()).Elem()
	made.Set(value)
	switch value.Kind() {
	case svcreflect.Float32, svcreflect.Float64:
		if number := value.Float(); svcmath.IsNaN(number) || svcmath.IsInf(number, 0) {
			made.SetFloat(place.wide)
			if value.Kind() == svcreflect.Float32 {
				made.SetFloat(float64(place.narrow))
			}
		}
	case svcreflect.Interface:
		if !value.IsNil() {
			made.Set(place.fill(value.Elem(), depth+1))
		}
	case svcreflect.Pointer:
		if !value.IsNil() {
			made.Set(svcreflect.New(value.Type().Elem()).Convert(value.Type()))
			made.Elem().Set(place.fill(value.Elem(), depth+1))
		}
	case svcreflect.Slice, svcreflect.Array:
		if value.Kind() == svcreflect.Slice && !value.IsNil() {
			made.Set(svcreflect.MakeSlice(value.Type(), value.Len(), value.Len()))
		}
		for i := range value.Len() {
			made.Index(i).Set(place.fill(value.Index(i), depth+1))
		}
	case svcreflect.Map:
		if !value.IsNil() {
			made.Set(svcreflect.MakeMapWithSize(value.Type(), value.Len()))
			for _, key := range value.MapKeys() {
				made.SetMapIndex(key, place.fill(value.MapIndex(key), depth+1))
			}
		}
	case svcreflect.Struct:
		place.fillFields(made, depth)
	}
	return made
}

func (place svcPlace) fillFields(made svcreflect.Value, depth int) {
	for i := range made.NumField() {
		field := made.Field(i)
		if field.CanSet() {
			field.Set(place.fill(field, depth+1))
		} else if made.Type().Field(i).Anonymous && field.Kind() == svcreflect.Struct {
			// An embedded struct passes on its exported fields, even if its own name is not exported.
			place.fillFields(field, depth)
		}
	}
}

func svcCall() (reply svcReply) {
	defer func() {
		if cause := recover(); cause != nil {
			reply = svcReply{Error: &svcError{Name: "Panic", Message: svcShow(cause), Stack: svcStack()}}
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
			if err := svcDecode(raw, value); err != nil {
				return svcFailure("ArgumentError", svcfmt.Sprintf("The argument %q does not fit the type %s: %s", param, call.Type().In(i), svcHide(err.Error(), raw)))
			}
		}
		args[i] = value.Elem()
	}
	if call.Type().IsVariadic() {
		return svcResult(call.CallSlice(args))
	}
	return svcResult(call.Call(args))
}

var svcLong = svcregexp.MustCompile("[0-9]{16}")

// A whole number beyond 2^53 is a json.Number where the type is any, because a float64 would round it. All others are a float64.
func svcDecode(raw []byte, target svcreflect.Value) error {
	if !svcLong.Match(raw) {
		return svcjson.Unmarshal(raw, target.Interface())
	}
	decoder := svcjson.NewDecoder(svcbytes.NewReader(raw))
	decoder.UseNumber()
	err := decoder.Decode(target.Interface())
	svcRound(target.Elem())
	return err
}

func svcRound(value svcreflect.Value) {
	switch value.Kind() {
	case svcreflect.Interface:
		number, is := value.Interface().(svcjson.Number)
		if !is {
			svcRound(value.Elem())
		} else if whole, err := number.Int64(); svcstrings.ContainsAny(string(number), ".eE") || err == nil && whole <= 1<<53 && whole >= -1<<53 {
			double, _ := number.Float64()
			value.Set(svcreflect.ValueOf(double))
		}
	case svcreflect.Pointer:
		svcRound(value.Elem())
	case svcreflect.Slice, svcreflect.Array:
		for i := range value.Len() {
			svcRound(value.Index(i))
		}
	case svcreflect.Map:
		for _, key := range value.MapKeys() {
			item := svcreflect.New(value.Type().Elem()).Elem()
			item.Set(value.MapIndex(key))
			svcRound(item)
			value.SetMapIndex(key, item)
		}
	case svcreflect.Struct:
		for i := range value.NumField() {
			if field := value.Field(i); field.CanSet() || value.Type().Field(i).Anonymous && field.Kind() == svcreflect.Struct {
				svcRound(field)
			}
		}
	}
}

// An argument may be a secret, and some decoders quote it in their errors.
func svcHide(message string, raw svcjson.RawMessage) string {
	tokens := svcjson.NewDecoder(svcbytes.NewReader(raw))
	for {
		token, err := tokens.Token()
		if err != nil {
			return message
		}
		if text, ok := token.(string); ok && text != "" {
			runes := []rune(text)
			shown := string(runes[:min(10, len(runes)/2)]) + "…"
			message = svcstrings.ReplaceAll(message, svcfmt.Sprintf("%q", text), svcfmt.Sprintf("%q", shown))
		}
	}
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

// A value that contains itself would exhaust the stack, from which Go cannot recover.
func svcShow(cause any) string {
	if svcNests(svcreflect.ValueOf(cause), 0) {
		return svcfmt.Sprintf("%T %s", cause, svcSketch(svcreflect.ValueOf(cause), 0))
	}
	return svcfmt.Sprint(cause)
}

// The upper levels of a value.
func svcSketch(value svcreflect.Value, depth int) string {
	if depth > 8 {
		return "…"
	}
	parts := []string{}
	switch value.Kind() {
	case svcreflect.Interface, svcreflect.Pointer:
		if value.IsNil() {
			return "<nil>"
		}
		return svcSketch(value.Elem(), depth+1)
	case svcreflect.Slice, svcreflect.Array:
		for i := 0; i < value.Len() && i < 100; i++ {
			parts = append(parts, svcSketch(value.Index(i), depth+1))
		}
	case svcreflect.Map:
		for entries := value.MapRange(); entries.Next() && len(parts) < 100; {
			parts = append(parts, svcSketch(entries.Key(), depth+1)+":"+svcSketch(entries.Value(), depth+1))
		}
		svcslices.Sort(parts)
	case svcreflect.Struct:
		for i := 0; i < value.NumField(); i++ {
			parts = append(parts, value.Type().Field(i).Name+":"+svcSketch(value.Field(i), depth+1))
		}
	default:
		return svcfmt.Sprint(value)
	}
	return "[" + svcstrings.Join(parts, " ") + "]"
}

func svcNests(value svcreflect.Value, depth int) bool {
	if depth > 400 {
		return true
	}
	switch value.Kind() {
	case svcreflect.Interface, svcreflect.Pointer:
		return !value.IsNil() && svcNests(value.Elem(), depth+1)
	case svcreflect.Slice, svcreflect.Array:
		for i := range value.Len() {
			if svcNests(value.Index(i), depth+1) {
				return true
			}
		}
	case svcreflect.Map:
		for entries := value.MapRange(); entries.Next(); {
			if svcNests(entries.Value(), depth+1) {
				return true
			}
		}
	case svcreflect.Struct:
		for i := range value.NumField() {
			if svcNests(value.Field(i), depth+1) {
				return true
			}
		}
	}
	return false
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
