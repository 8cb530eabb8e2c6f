;;; emacs.el --- Opens the file named in $KERNLINT_FILE under eglot as docs/editors.md says, waits for flymake, applies the padding.  -*- lexical-binding: t; -*-

(setq enable-local-variables nil make-backup-files nil create-lockfiles nil)
(require 'eglot)
(require 'flymake)
(load (getenv "KERNLINT_SETTINGS") nil t)

(defun say (&rest words) (princ (concat (apply #'format words) "\n")))

(defun waited (test)
  "Whether TEST came true within a minute; what the server says is heard meanwhile."
  (let ((until (+ (float-time) 60)))
    (while (and (not (funcall test)) (< (float-time) until))
      (accept-process-output nil 0.1))
    (funcall test)))

(defun conflicts ()
  (seq-filter (lambda (found) (string-match-p "bank conflict" (flymake-diagnostic-text found))) (flymake-diagnostics)))

(defun end (code) (eglot-shutdown (eglot-current-server)) (kill-emacs code))

(find-file (getenv "KERNLINT_FILE"))
(run-hooks 'post-command-hook) ; which the command loop would do: `eglot-ensure' waits for it
(say "mode %s" major-mode)
(unless (waited (lambda () (eglot-managed-p))) (say "the server did not start") (kill-emacs 1))
(flymake-start)
(unless (waited #'conflicts) (say "no diagnostics came") (end 1))
(dolist (found (flymake-diagnostics))
  (goto-char (flymake-diagnostic-beg found))
  (say "diagnostic at %d:%d: %s" (line-number-at-pos) (1+ (current-column)) (car (split-string (flymake-diagnostic-text found) "\n"))))
(let* ((place (flymake-diagnostic-beg (car (conflicts))))
       (last-nonmenu-event ?\r)) ; no click: the menu is asked for in the minibuffer, whose answer is RET
  (mapc (lambda (action) (say "action %s" (plist-get action :title))) (eglot-code-actions place place))
  (cl-letf (((symbol-function 'completing-read)
             (lambda (_prompt _items _where _must _first _history default &rest _) (say "chosen %s" default) default)))
    (eglot-code-actions place place nil t)))
(eglot--signal-textDocument/didChange) ; which a timer would do that waits for a person to pause
(unless (waited (lambda () (null (conflicts)))) (say "the conflict is still there") (end 1))
(save-buffer)
(goto-char (point-min))
(search-forward "threadIdx.y + j]")
(let* ((answer (jsonrpc-request (eglot--current-server-or-lose) :textDocument/hover (eglot--TextDocumentPositionParams)))
       (lines (split-string (plist-get (plist-get answer :contents) :value) "\n" t)))
  (say "hover %s" (car lines)))
(say "left %d" (length (flymake-diagnostics)))
(end 0)
