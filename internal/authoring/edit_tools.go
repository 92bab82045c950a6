package authoring

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"toolgraph/config"
	"toolgraph/internal/files"
)

// saved is how a change of the file went.
type saved struct {
	Success  bool      `json:"success"`
	Message  string    `json:"message"`
	Warnings []finding `json:"warnings,omitempty"`
}

func addGraphTool(ctx context.Context, k *Toolkit, v *view, a arguments) (any, error) {
	tool := a.data("tool")
	name, _ := tool.Get("name").Value().(string)
	src, err := config.AddTool(v.path, v.src, tool)
	if err != nil {
		return nil, notSaved(v, err)
	}
	return k.save(ctx, v, src, name, fmt.Sprintf("tool %q added to %s", name, v.path))
}

func updateGraphTool(ctx context.Context, k *Toolkit, v *view, a arguments) (any, error) {
	tool, older := a.data("tool"), a.text("toolName")
	file, err := v.file()
	if err != nil {
		return nil, err
	}
	if toolOf(file, older) == nil {
		return nil, noTool(file, older)
	}
	name, _ := tool.Get("name").Value().(string)
	src, err := config.ReplaceTool(v.path, v.src, older, tool)
	if err != nil {
		return nil, notSaved(v, err)
	}
	message := fmt.Sprintf("tool %q updated in %s", older, v.path)
	if name != older {
		message += fmt.Sprintf("; it is called %q now", name)
	}
	return k.save(ctx, v, src, name, message)
}

func deleteGraphTool(ctx context.Context, k *Toolkit, v *view, a arguments) (any, error) {
	name := a.text("toolName")
	file, err := v.file()
	if err != nil {
		return nil, err
	}
	if toolOf(file, name) == nil {
		return nil, noTool(file, name)
	}
	src, err := config.DeleteTool(v.path, v.src, name)
	if err != nil {
		return nil, notSaved(v, err)
	}
	return k.save(ctx, v, src, name, fmt.Sprintf("tool %q deleted from %s", name, v.path))
}

// save writes the file's new text when all of it is right.
func (k *Toolkit) save(ctx context.Context, v *view, src []byte, name, message string) (any, error) {
	edited := v.with(src)
	p, err := edited.checked(ctx)
	if err != nil {
		return nil, notSaved(edited, err)
	}
	remarks, err := k.remarks(ctx, p, name)
	if err != nil {
		return nil, notSaved(edited, err)
	}
	now, err := config.ReadFile(v.path)
	if err == nil && !bytes.Equal(now, v.src) {
		err = errors.New("somebody else has changed it at this very moment; try again")
	}
	if err == nil {
		err = files.Write(v.path, src, 0o600) // the mode that it has
	}
	if err != nil {
		return nil, fmt.Errorf("nothing was saved: the graph file: %w", err)
	}
	if remarks.Err() != nil {
		message += "; but runs of it will fail: mend what is an error among the warnings"
	}
	return saved{Success: true, Message: message, Warnings: edited.findings(remarks, name)}, nil
}

// notSaved tells an agent everything that keeps a change from being saved.
func notSaved(v *view, err error) error {
	var found config.Diagnostics
	if !errors.As(err, &found) {
		return fmt.Errorf("nothing was saved: %w", err)
	}
	errs, _ := found.Split()
	return fmt.Errorf("nothing was saved: the graph file would have %s\n%s\nchange the definition and try again; checkGraphTool tells the same without saving",
		mistakes(len(errs)), v.tell(errs))
}

func mistakes(n int) string {
	if n == 1 {
		return "a mistake"
	}
	return fmt.Sprintf("%d mistakes", n)
}
