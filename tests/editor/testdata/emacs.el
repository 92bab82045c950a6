;;; Drives eglot in a graph file, and prints what it shows as JSON. Run in the directory of notes.yaml, after the lines of
;;; docs/editors.md were loaded.  -*- lexical-binding: t -*-

(setq make-backup-files nil)

(defun drive-until (what condition)
  "Wait until the function CONDITION returns a value, and return it; WHAT is for the message."
  (let ((end (+ (float-time) 120)) value)
    (while (not (setq value (funcall condition)))
      (when (> (float-time) end) (error "%s: not within 120 s" what))
      (accept-process-output nil 0.05))
    value))

(defun drive-findings ()
  "Return the messages of the current buffer with the text below each."
  (mapcar (lambda (d) (list (buffer-substring (flymake-diagnostic-beg d) (flymake-diagnostic-end d)) (flymake-diagnostic-text d)))
          (flymake-diagnostics)))

(defun drive-at (text offset)
  "Move behind TEXT, and then by OFFSET."
  (goto-char (point-min))
  (search-forward text)
  (forward-char offset))

(require 'eglot)
(require 'json)
(require 'yaml-mode)
(find-file-noselect "notes.test.yaml") ; a file that is not open would be asked about
(find-file "notes.yaml")
(yaml-mode)
(call-interactively #'eglot)
(drive-until "the server" (lambda () (eglot-current-server)))
(flymake-mode 1)
(let ((findings (drive-until "a finding" #'drive-findings)) completions hover)
  (drive-at "next: done" -4)
  (delete-char 4)
  (insert "exit")
  (eglot--signal-textDocument/didChange)
  (drive-until "no finding" (lambda () (null (drive-findings))))
  (drive-at "$.list.entries" (- (length "list.entries")))
  (setq completions (let ((found (eglot-completion-at-point)))
                      (mapcar #'substring-no-properties (all-completions "" (nth 2 found)))))
  (drive-at "$.entry.folder" -1)
  (drive-until "a hover" (lambda ()
                           (eglot-hover-eldoc-function (lambda (text &rest _) (setq hover (and text (substring-no-properties text)))))
                           (accept-process-output nil 0.2)
                           hover))
  (drive-at "$.list.entries" (- (length "st.entries")))
  (eglot-rename "entries_of")
  (drive-until "the new name" (lambda () (string-match-p "\\$\\.entries_of\\.entries" (buffer-string))))
  (save-some-buffers t)
  (princ (json-encode `((findings . ,(vconcat findings)) (completions . ,(vconcat completions)) (hover . ,hover)))))
(eglot-shutdown (eglot-current-server))
