import {
  Alert,
  Button,
  type ButtonProps,
  Dialog,
  DialogActions,
  DialogContent,
  DialogContentText,
  DialogTitle,
  Stack,
} from '@mui/material';
import { useQueryClient } from '@tanstack/react-query';
import { createContext, isValidElement, type MouseEvent, type ReactNode, useContext, useEffect, useState } from 'react';
import { Form, type RaRecord, useIsMounted, useNotify, usePermissions, useRefresh } from 'react-admin';
import type { FieldValues } from 'react-hook-form';
import { useLocation } from 'react-router-dom';
import { ApiError, call, download } from '../client/api';
import { logInAgainByOidc, logInByPasskey, onLoginElsewhere } from '../login/login-methods';
import { assertSamePerson, currentSession, may, type Permission, type Role, useSession, wantsLogin } from '../session';
import { OnceShown } from './once-shown';

interface ActionProps {
  label: string;
  /** Below the base of the operator API. */
  path: string;
  method?: 'POST' | 'PATCH' | 'DELETE';
  /** Who may do it; nobody else sees the button. */
  needs: Permission;
  /** What the dialog is about, if the label does not say it. */
  title?: string;
  /** What happens, with names and amounts: a person confirms it. Without it the click does it: for what another click undoes. */
  question?: ReactNode;
  /** Inputs of react-admin. */
  children?: ReactNode;
  /** What the form begins with. Of a PATCH, it is what is stored: only what differs from it is sent. */
  initial?: FieldValues;
  /** Fields of the body that `initial` proposes, and that are not stored: they are sent as the form has them. */
  proposed?: readonly string[];
  /**
   * A field of a PATCH that is replaced as a whole, with the record's `updated_at` as the form shows it: sent with the field, so that nothing
   * is replaced that a colleague has stored meanwhile.
   */
  replaces?: { field: string; seen: string };
  /** @throws ApiError, before anything is sent, if the form is out of date. */
  assertPresent?: () => Promise<void>;
  /** The body of the request; the form's values as they are, without empty ones, unless given. */
  bodyOf?: (values: FieldValues) => object;
  /** What has happened, with names where one could mistake them. */
  done?: ReactNode | ((reply: RaRecord) => ReactNode);
  /** Whether that is something else than the person meant, as when another person was first: it is said as a warning. */
  isUnexpected?: (reply: RaRecord) => boolean;
  /** After it is done and its dialog is closed. */
  onDone?: (reply: RaRecord) => void;
  /** Shown instead of closing: a reply that is shown once. */
  result?: (reply: RaRecord) => ReactNode;
  /** The name of the file that the reply is. */
  file?: string;
  color?: ButtonProps['color'];
  icon?: ReactNode;
  disabled?: boolean;
  confirmLabel?: string;
}

/** An emptied field of numbers has null, one of texts the empty text. */
const withoutEmpty = (values: FieldValues): object =>
  Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== ''),
  );

/** What is sent. Of a change, only what the person has changed: what others have stored meanwhile stays. */
function bodyFrom({ method, children, initial, proposed = [], replaces, ...action }: ActionProps, values: FieldValues) {
  // A route that takes no body refuses an empty one, and one that takes some refuses none.
  if (!action.bodyOf && !children) return undefined;
  const bodyOf = action.bodyOf ?? withoutEmpty;
  const body = bodyOf(values);
  if (method !== 'PATCH' || initial === undefined) return body;
  const stored = new Map<string, unknown>(Object.entries(bodyOf(initial)));
  const isChanged = ([name, value]: [string, unknown]) =>
    proposed.includes(name) || JSON.stringify(value) !== JSON.stringify(stored.get(name));
  const changed = Object.fromEntries(Object.entries(body).filter(isChanged));
  return replaces !== undefined && replaces.field in changed ? { ...changed, seen: replaces.seen } : changed;
}

const OpenDialog = createContext<(action: ActionProps) => void>(() => undefined);

/**
 * The place of the one dialog that is open. It is above lists and pages: a row that goes or changes meanwhile, because another person
 * decided about it, takes neither the dialog with it nor a token that is shown once.
 */
export function ActionDialogs({ children }: { children: ReactNode }) {
  const [action, setAction] = useState<ActionProps>();
  const { pathname } = useLocation();
  useEffect(() => setAction(undefined), [pathname]);
  return (
    <OpenDialog value={setAction}>
      {children}
      {action && <ActionDialog {...action} close={() => setAction(undefined)} />}
    </OpenDialog>
  );
}

/** Instead of what was done: the person may have meant to do it a second time. */
export const DONE_BEFORE =
  'The attempt before, whose answer was lost, had done this. Nothing was done now: to have it done once more, send it again.';

/** A reply, and whether it is that of an attempt before. */
interface Outcome {
  reply: RaRecord;
  isReplayed: boolean;
}

async function sendOnce(method: 'POST' | 'PATCH' | 'DELETE', path: string, body: object | undefined): Promise<Outcome> {
  let isReplayed = false;
  const reply = await call<RaRecord>(method, path, { body, onReplay: () => (isReplayed = true) });
  return { reply, isReplayed };
}

/** What was done. A notice that is more than a text, such as one with a link, brings its own background. */
function doneNotice({ done, label, isUnexpected }: ActionProps, reply: RaRecord): ReactNode {
  const notice = typeof done === 'function' ? done(reply) : (done ?? `Done: ${label}`);
  if (typeof notice === 'string') return notice;
  return (
    <Alert severity={isUnexpected?.(reply) ? 'warning' : 'success'} elevation={6}>
      {notice}
    </Alert>
  );
}

/**
 * One action of the operator API: a button, and a dialog that names the effect and has the inputs. Faults are shown at their inputs.
 * If the operation needs a fresh login and the last one is too old, the button asks for the passkey, or has the person log in in
 * another window, and then sends the form.
 */
export function ActionButton(props: ActionProps) {
  const { label, needs, icon, color, disabled, question } = props;
  const { permissions } = usePermissions<Role>();
  const open = useContext(OpenDialog);
  const { isBusy, send } = useDirectAction(props);
  if (!may(permissions, needs)) return null;
  return (
    <Button
      size="small"
      variant="outlined"
      color={color}
      startIcon={icon}
      disabled={disabled || isBusy}
      onClick={(event) => {
        event.stopPropagation();
        if (question === undefined) void send();
        else open(props);
      }}
    >
      {label}
    </Button>
  );
}

/** An action that a click does, without a dialog. */
function useDirectAction(action: ActionProps) {
  const [isBusy, setBusy] = useState(false);
  const notify = useNotify();
  const refresh = useRefresh();
  const send = async () => {
    setBusy(true);
    try {
      const { method = 'POST', path, bodyOf } = action;
      // Whose page it is; unknown as long as the operator API has not said it.
      await assertSamePerson(await currentSession().catch(() => undefined));
      const { reply, isReplayed } = await sendOnce(method, path, bodyOf?.({}));
      notify(isReplayed ? DONE_BEFORE : doneNotice(action, reply), { type: isReplayed ? 'warning' : 'success' });
    } catch (error) {
      notify(messageOf(error), { type: 'error' });
    } finally {
      setBusy(false);
      refresh();
    }
  };
  return { isBusy, send };
}

/** Who opens a dialog can type: the first input has the focus. */
function focusFirstInput(dialog: HTMLElement): void {
  dialog
    .querySelector<HTMLElement>('form :is([role=combobox], input:not([tabindex="-1"]), textarea:not([aria-hidden]))')
    ?.focus();
}

/** The inputs scroll if there are many; faults and buttons stay in view. */
const SCROLLING_FORM = { '& form': { display: 'flex', flexDirection: 'column', minHeight: 0 } } as const;

function ActionDialog({ close, ...action }: ActionProps & { close: () => void }) {
  const { label, title = label, path, method = 'POST', question, children, initial } = action;
  const { assertPresent, onDone, result, file, color, confirmLabel = label } = action;
  const [problem, setProblem] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<Outcome>();
  const notify = useNotify();
  const refresh = useRefresh();
  const isMounted = useIsMounted();

  const { data: session } = useSession();
  const [opener] = useState(session);
  const queries = useQueryClient();
  const isRefused = problem?.problem.code === 'fresh_login_required';
  const needsLogin = isRefused || wantsLogin(session, method, path);
  const methods = session?.login_methods;

  // The form waits while its person logs in in another window for it, and is sent then.
  const [formId] = useState(() => crypto.randomUUID());
  const [waitingForm, setWaitingForm] = useState<HTMLFormElement | null>(null);
  useEffect(() => {
    if (waitingForm === null) return undefined;
    return onLoginElsewhere((form) => {
      // A login for another form has taken the place of this one's: it is not waited for any more.
      setWaitingForm(null);
      assertSamePerson(opener)
        .then(() => form === formId && waitingForm.requestSubmit())
        .catch((error: unknown) => notify(messageOf(error), { type: 'error' }));
    });
  }, [formId, waitingForm, opener, notify]);

  function logInElsewhere(event: MouseEvent<HTMLButtonElement>) {
    const { form } = event.currentTarget;
    try {
      logInAgainByOidc(formId);
      setWaitingForm(form);
    } catch (error) {
      notify(messageOf(error), { type: 'error' });
    }
  }

  async function request(body: object | undefined): Promise<Outcome> {
    if (file === undefined) return sendOnce(method, path, body);
    await download(path, file);
    return { reply: { id: path }, isReplayed: false };
  }

  async function send(values: FieldValues) {
    const body = bodyFrom(action, values);
    if (method === 'PATCH' && JSON.stringify(body) === '{}') {
      notify('Nothing was changed', { type: 'info' });
      close();
      return undefined;
    }
    setBusy(true);
    setWaitingForm(null);
    try {
      const logsIn = needsLogin && methods?.passkey !== false;
      if (logsIn) await logInByPasskey();
      await assertSamePerson(opener);
      if (logsIn) await queries.invalidateQueries({ queryKey: ['session'] });
      setProblem(undefined);
      await assertPresent?.();
      const { reply: changed, isReplayed } = await request(body);
      // A page that is left then is not read again: its record may be gone.
      if (onDone === undefined) refresh();
      if (result !== undefined) {
        setOutcome({ reply: changed, isReplayed });
      } else {
        notify(isReplayed ? DONE_BEFORE : doneNotice(action, changed), { type: isReplayed ? 'warning' : 'success' });
        // A person who went on meanwhile may have another dialog open, and wants no other page.
        if (!isMounted.current) return undefined;
        close();
        onDone?.(changed);
      }
      return undefined;
    } catch (error) {
      if (error instanceof ApiError) {
        // What stands at its field is said once.
        const isPlaced = ([name]: [string, string]) => name in values;
        const faults = Object.entries(error.fieldErrors);
        if (faults.length === 0 || !faults.every(isPlaced)) setProblem(error);
        return error.fieldErrors;
      }
      if (!needsLogin) throw error;
      // The person has cancelled it, or has no passkey here: the form stays, and can be sent again.
      notify(messageOf(error), { type: 'error' });
      return undefined;
    } finally {
      setBusy(false);
    }
  }

  if (outcome !== undefined && result !== undefined) {
    const shown = result(outcome.reply);
    // A secret that is shown once says by itself that it was made before.
    const isSaid = isValidElement(shown) && shown.type === OnceShown;
    return (
      <Dialog open fullWidth maxWidth="sm" aria-label={title}>
        <DialogTitle>{title}</DialogTitle>
        <DialogContent>
          {outcome.isReplayed && !isSaid && <Alert severity="warning">{DONE_BEFORE}</Alert>}
          {shown}
        </DialogContent>
        <DialogActions>
          <Button onClick={close}>Close</Button>
        </DialogActions>
      </Dialog>
    );
  }
  return (
    <Dialog
      open
      onClose={isBusy ? undefined : close}
      fullWidth
      maxWidth="sm"
      aria-labelledby="action-title"
      slotProps={{ transition: { onEnter: focusFirstInput } }}
      sx={SCROLLING_FORM}
    >
      <DialogTitle id="action-title">{title}</DialogTitle>
      <Form
        onSubmit={send}
        defaultValues={initial}
        sanitizeEmptyValues={false}
        warnWhenUnsavedChanges={false}
        disableInvalidFormNotification
      >
        <DialogContent>
          <Stack spacing={1.5}>
            <DialogContentText component="div">{question}</DialogContentText>
            {children}
          </Stack>
        </DialogContent>
        {waitingForm ? (
          <Alert severity="info" sx={{ mx: 3 }}>
            Log in in the other window: this is sent then.
          </Alert>
        ) : (
          problem && (
            <Alert severity={isRefused ? 'info' : problem.status === 409 ? 'warning' : 'error'} sx={{ mx: 3 }}>
              {problem.message}
            </Alert>
          )
        )}
        <DialogActions>
          <Button onClick={close} disabled={isBusy}>
            Cancel
          </Button>
          {needsLogin && methods?.oidc && (
            <Button variant="contained" color={color} disabled={isBusy} onClick={logInElsewhere}>
              Log in again with {methods.oidc.label} and {lowerFirst(confirmLabel)}
            </Button>
          )}
          {!(needsLogin && methods?.passkey === false) && (
            <Button type="submit" variant="contained" color={color} disabled={isBusy}>
              {needsLogin ? `Log in again with a passkey and ${lowerFirst(confirmLabel)}` : confirmLabel}
            </Button>
          )}
        </DialogActions>
      </Form>
    </Dialog>
  );
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);
