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
import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from 'react';
import { Form, type RaRecord, useIsMounted, useNotify, usePermissions, useRefresh } from 'react-admin';
import type { FieldValues } from 'react-hook-form';
import { useLocation } from 'react-router-dom';
import { ApiError, call } from '../client/api';
import { logInAgainByOidc, logInByPasskey } from '../login/login-methods';
import { currentSession, may, type Permission, type Role } from '../session';

interface ActionProps {
  label: string;
  /** Below the base of the operator API. */
  path: string;
  method?: 'POST' | 'PATCH' | 'DELETE';
  /** Who may do it; nobody else sees the button. */
  needs: Permission;
  /** What happens, with names and amounts: a person confirms it. */
  question: ReactNode;
  /** Inputs of react-admin. */
  children?: ReactNode;
  initial?: FieldValues;
  /** The body of the request; the form's values as they are unless given. */
  bodyOf?: (values: FieldValues) => object;
  /** What has happened, with names where one could mistake them. */
  done?: string | ((reply: RaRecord) => string);
  /** After it is done and its dialog is closed. */
  onDone?: () => void;
  /** Shown instead of closing: a reply that is shown once. */
  result?: (reply: RaRecord) => ReactNode;
  color?: ButtonProps['color'];
  icon?: ReactNode;
  disabled?: boolean;
  confirmLabel?: string;
}

const withoutEmpty = (values: FieldValues): object =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== ''));

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

/**
 * One action of the operator API: a button, and a dialog that names the effect and has the inputs. Faults are shown at their inputs.
 * If money or tokens need a fresh login, the dialog offers it and sends the same request again.
 */
export function ActionButton(props: ActionProps) {
  const { label, needs, icon, color, disabled } = props;
  const { permissions } = usePermissions<Role>();
  const open = useContext(OpenDialog);
  if (!may(permissions, needs)) return null;
  return (
    <Button
      size="small"
      variant="outlined"
      color={color}
      startIcon={icon}
      disabled={disabled}
      onClick={(event) => {
        event.stopPropagation();
        open(props);
      }}
    >
      {label}
    </Button>
  );
}

function ActionDialog({
  label,
  path,
  method = 'POST',
  question,
  children,
  initial,
  bodyOf,
  done,
  onDone,
  result,
  color,
  confirmLabel,
  close,
}: ActionProps & { close: () => void }) {
  const [problem, setProblem] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const [reply, setReply] = useState<RaRecord>();
  const notify = useNotify();
  const refresh = useRefresh();
  // One key for all attempts of this dialog: a lost reply does not double the effect.
  const key = useRef(crypto.randomUUID());
  const lastBody = useRef<string>(undefined);
  const isMounted = useIsMounted();

  async function send(values: FieldValues) {
    // A route that takes no body refuses an empty one, and one that takes some refuses none.
    const body = bodyOf || children ? (bodyOf ?? withoutEmpty)(values) : undefined;
    const text = JSON.stringify(body);
    if (lastBody.current !== undefined && lastBody.current !== text) key.current = crypto.randomUUID();
    lastBody.current = text;
    setBusy(true);
    setProblem(undefined);
    try {
      const changed = await call<RaRecord>(method, path, { body, key: key.current });
      // A page that is left then is not read again: its record may be gone.
      if (onDone === undefined) refresh();
      if (result !== undefined) {
        setReply(changed);
      } else {
        const told = typeof done === 'function' ? done(changed) : done;
        notify(told ?? `${label}: done`, { type: 'success' });
        // A person who went on meanwhile may have another dialog open, and wants no other page.
        if (!isMounted.current) return undefined;
        close();
        onDone?.();
      }
      return undefined;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // What stands at its field is said once.
      const isPlaced = ([name]: [string, string]) => name in values;
      const faults = Object.entries(error.fieldErrors);
      if (faults.length === 0 || !faults.every(isPlaced)) setProblem(error);
      return error.fieldErrors;
    } finally {
      setBusy(false);
    }
  }

  if (reply !== undefined && result !== undefined) {
    return (
      <Dialog open fullWidth maxWidth="sm" aria-label={label}>
        <DialogTitle>{label}</DialogTitle>
        <DialogContent>{result(reply)}</DialogContent>
        <DialogActions>
          <Button onClick={close}>Close</Button>
        </DialogActions>
      </Dialog>
    );
  }
  return (
    <Dialog open onClose={isBusy ? undefined : close} fullWidth maxWidth="sm" aria-labelledby="action-title">
      <DialogTitle id="action-title">{label}</DialogTitle>
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
            {problem && <Alert severity={problem.status === 409 ? 'warning' : 'error'}>{problem.message}</Alert>}
            {problem?.problem.code === 'fresh_login_required' && <LogInAgain onDone={() => setProblem(undefined)} />}
          </Stack>
        </DialogContent>
        <DialogActions>
          <Button onClick={close} disabled={isBusy}>
            Cancel
          </Button>
          <Button type="submit" variant="contained" color={color} disabled={isBusy}>
            {confirmLabel ?? label}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}

/** Money and tokens want a login of the last five minutes. */
function LogInAgain({ onDone }: { onDone: () => void }) {
  const notify = useNotify();
  const { data } = useQuery({ queryKey: ['session-methods'], queryFn: currentSession });
  const again = async () => {
    try {
      await logInByPasskey();
      onDone();
      notify('Logged in again. Confirm once more.', { type: 'info' });
    } catch (error) {
      notify(error instanceof Error ? error.message : String(error), { type: 'error' });
    }
  };
  return (
    <Stack direction="row" spacing={1}>
      {data?.login_methods.passkey && (
        <Button size="small" variant="contained" onClick={again}>
          Log in again with a passkey
        </Button>
      )}
      {data?.login_methods.oidc && (
        <Button size="small" variant="contained" onClick={logInAgainByOidc}>
          Log in again with {data.login_methods.oidc.label}
        </Button>
      )}
    </Stack>
  );
}
