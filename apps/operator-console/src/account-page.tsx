import {
  Alert,
  Button,
  Card,
  CardContent,
  Stack,
  Table,
  TableBody,
  TableCell,
  TableHead,
  TableRow,
  TextField,
  Typography,
} from '@mui/material';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Confirm, Title } from 'react-admin';
import { call } from './client/api';
import { addPasskey, logInByPasskey } from './login/login-methods';
import { assertSamePerson, type Session, useSession, wantsLogin } from './session';
import { formatTime, useFormats } from './shared/formats';

interface Passkey {
  id: string;
  name: string;
  created_at: string;
  last_used_at?: string | null;
}

interface OwnSession {
  id: string;
  created_at: string;
  last_seen_at: string;
  network: string;
  expires_at: string;
  user_agent?: string | null;
  current?: boolean;
}

/** The person's own passkeys and sessions. */
export function AccountPage() {
  const [formats] = useFormats();
  const [name, setName] = useState('');
  const [problem, setProblem] = useState<string>();
  const [removed, setRemoved] = useState<Passkey>();
  const queries = useQueryClient();
  const session = useSession();
  // Who opened the page: the session is read again meanwhile, and may be another person's by then.
  const opener = useRef<Session>(undefined);
  opener.current ??= session.data;
  const passkeys = useQuery({ queryKey: ['passkeys'], queryFn: () => call<{ data: Passkey[] }>('GET', 'passkeys') });
  const sessions = useQuery({ queryKey: ['sessions'], queryFn: () => call<{ data: OwnSession[] }>('GET', 'sessions') });

  // An operation that needs a fresh login asks for the passkey first, as its button says.
  const asks = (method: string, path: string) =>
    session.data?.login_methods.passkey === true && wantsLogin(session.data, method, path);
  const labelOf = (label: string, asking: boolean) => (asking ? `Log in again and ${label.toLowerCase()}` : label);
  const attempt =
    (act: () => Promise<unknown>, asking = false) =>
    async () => {
      setProblem(undefined);
      try {
        if (asking) await logInByPasskey();
        await assertSamePerson(opener.current);
        if (asking) await queries.invalidateQueries({ queryKey: ['session'] });
        await act();
        await queries.invalidateQueries({ queryKey: ['passkeys'] });
        await queries.invalidateQueries({ queryKey: ['sessions'] });
      } catch (error) {
        setProblem(error instanceof Error ? error.message : String(error));
      }
    };

  return (
    <Stack spacing={2} sx={{ mt: 1, maxWidth: 900 }}>
      <Title title="Passkeys and sessions" />
      {session.data && (
        <Typography>
          {session.data.account.name}, {session.data.account.email}, role {session.data.account.role}. The session ends
          at {formatTime(session.data.expires_at, formats)}.
        </Typography>
      )}
      {problem && <Alert severity="error">{problem}</Alert>}
      {removed && (
        <Confirm
          isOpen
          title="Remove the passkey"
          content={`${removed.name} logs you in no more. Without any passkey you need a link of a colleague.`}
          confirm={labelOf('Remove', asks('DELETE', `passkeys/${removed.id}`))}
          confirmColor="warning"
          onClose={() => setRemoved(undefined)}
          onConfirm={() => {
            setRemoved(undefined);
            void attempt(() => call('DELETE', `passkeys/${removed.id}`), asks('DELETE', `passkeys/${removed.id}`))();
          }}
        />
      )}
      {/* With an identity provider there are none. */}
      {session.data?.login_methods.passkey !== false && (
        <Card variant="outlined">
          <CardContent>
            <Typography component="h2" variant="h6">
              Passkeys
            </Typography>
            {passkeys.data?.data.length === 0 && (
              <Alert severity="warning">Add a passkey: the link that you came by worked once.</Alert>
            )}
            <Table size="small" aria-label="Passkeys">
              <TableBody>
                {passkeys.data?.data.map((passkey) => (
                  <TableRow key={passkey.id}>
                    <TableCell>{passkey.name}</TableCell>
                    <TableCell>added {formatTime(passkey.created_at, formats)}</TableCell>
                    <TableCell>last used {formatTime(passkey.last_used_at, formats)}</TableCell>
                    <TableCell align="right">
                      <Button size="small" color="error" onClick={() => setRemoved(passkey)}>
                        Remove
                      </Button>
                    </TableCell>
                  </TableRow>
                ))}
              </TableBody>
            </Table>
            <Stack direction="row" spacing={1} sx={{ mt: 1 }}>
              <TextField label="Name of the device" value={name} onChange={(event) => setName(event.target.value)} />
              <Button
                variant="contained"
                disabled={name.trim() === ''}
                onClick={attempt(
                  async () => {
                    await addPasskey(name.trim());
                    setName('');
                  },
                  asks('POST', 'passkeys'),
                )}
              >
                {labelOf('Add a passkey', asks('POST', 'passkeys'))}
              </Button>
            </Stack>
          </CardContent>
        </Card>
      )}
      <Card variant="outlined">
        <CardContent>
          <Typography component="h2" variant="h6">
            Sessions
          </Typography>
          <Table size="small" aria-label="Sessions">
            <TableHead>
              <TableRow>
                <TableCell>Begun</TableCell>
                <TableCell>Last used</TableCell>
                <TableCell>Browser</TableCell>
                <TableCell>End it</TableCell>
              </TableRow>
            </TableHead>
            <TableBody>
              {sessions.data?.data.map((own) => (
                <TableRow key={own.id}>
                  <TableCell>{formatTime(own.created_at, formats)}</TableCell>
                  <TableCell>{formatTime(own.last_seen_at, formats)}</TableCell>
                  <TableCell>{own.current ? 'this one' : (own.user_agent ?? '–')}</TableCell>
                  <TableCell>
                    {!own.current && (
                      <Button
                        size="small"
                        color="error"
                        onClick={attempt(() => call('POST', `sessions/${own.id}/revoke`))}
                      >
                        End
                      </Button>
                    )}
                  </TableCell>
                </TableRow>
              ))}
            </TableBody>
          </Table>
        </CardContent>
      </Card>
    </Stack>
  );
}
