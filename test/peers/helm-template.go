// Renders the templates of a Helm chart with the engine and the functions that Helm uses: text/template and sprig.
// Usage: helm-template FOLDER, with the objects Values, Release and Chart as JSON on standard input.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
)

func main() {
	if err := render(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func render(folder string) error {
	var objects map[string]interface{}
	if err := json.NewDecoder(os.Stdin).Decode(&objects); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(folder, "templates", "*"))
	if err != nil {
		return err
	}
	// Stricter than Helm: a value that does not exist is an error.
	all := template.New("chart").Option("missingkey=error").Funcs(sprig.TxtFuncMap())
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if _, err := all.New(filepath.Base(file)).Parse(string(text)); err != nil {
			return err
		}
	}
	for _, file := range files {
		name := filepath.Base(file)
		if strings.HasPrefix(name, "_") {
			continue
		}
		fmt.Println("---")
		if err := all.ExecuteTemplate(os.Stdout, name, objects); err != nil {
			return err
		}
	}
	return nil
}
