import { Alert, Box, Button, Card, CardContent, CircularProgress, Stack, Typography } from '@mui/material';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { Link, useLocation, useNavigate } from 'react-router-dom';
import { call } from '../client/api';
import type { LoginMethods } from '../session';
import { logInByLink, logInByOidc, logInByPasskey, tellOfLogin } from './login-methods';

/** The first page: log in by a one-time link, by a passkey, or by the organisation's login. No passwords exist. */
export function LoginPage() {
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const { search, state } = useLocation() as { search: string; state?: { nextPathname?: string; nextSearch?: string } };
  const navigate = useNavigate();
  const queries = useQueryClient();
  const link = new URLSearchParams(search).get('token');
  const failure = new URLSearchParams(search).get('error');
  const methods = useQuery({ queryKey: ['login-methods'], queryFn: () => call<LoginMethods>('GET', 'login/methods') });

  const attempt = (logIn: () => Promise<void>, next: string) => async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      await logIn();
      // What was asked for by nobody, or by another person, is asked for again.
      queries.clear();
      navigate(next, { replace: true });
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  };

  return (
    <LoginCard>
      {(problem ?? failure) && <Alert severity="error">{problem ?? failure}</Alert>}
      {methods.error && <Alert severity="error">{methods.error.message}</Alert>}
      {link !== null ? (
        <>
          <Typography variant="body2">
            The link logs you in once.
            {methods.data?.passkey && ' Add a passkey afterwards, to log in without a link.'}
          </Typography>
          <Button variant="contained" disabled={isBusy} onClick={attempt(() => logInByLink(link), '/account')}>
            Log in with this link
          </Button>
        </>
      ) : (
        <>
          {methods.isPending && <CircularProgress size={24} aria-label="Loading" />}
          {methods.data?.oidc && (
            <Button variant="contained" disabled={isBusy} onClick={logInByOidc}>
              Log in with {methods.data.oidc.label}
            </Button>
          )}
          {methods.data?.passkey && (
            <Button
              variant={methods.data.oidc ? 'outlined' : 'contained'}
              disabled={isBusy}
              // With the filters of its list.
              onClick={attempt(logInByPasskey, `${state?.nextPathname ?? '/'}${state?.nextSearch ?? ''}`)}
            >
              Log in with a passkey
            </Button>
          )}
          <Typography variant="body2" color="text.secondary">
            No passkey on this device? Ask a colleague with the role admin for an invitation link.
          </Typography>
        </>
      )}
    </LoginCard>
  );
}

/** The end of a login in a window of its own: the page that waits for it is told, and the window closes if the browser lets it. */
export function LoggedInPage() {
  const parameters = new URLSearchParams(useLocation().search);
  const [failure, form] = [parameters.get('error'), parameters.get('form')];
  useEffect(() => {
    if (failure !== null) return;
    tellOfLogin(form);
    window.close();
  }, [failure, form]);
  return (
    <LoginCard>
      {failure === null ? (
        <Typography variant="body2">You are logged in. Close this window; the other one goes on.</Typography>
      ) : (
        <Alert severity="error">{failure}</Alert>
      )}
      <Button component={Link} to="/">
        Open the console here
      </Button>
    </LoginCard>
  );
}

function LoginCard({ children }: { children: ReactNode }) {
  return (
    <Box
      component="main"
      sx={{ minHeight: '100vh', display: 'grid', placeItems: 'center', bgcolor: 'background.default', p: 2 }}
    >
      <Card variant="outlined" sx={{ width: '100%', maxWidth: 400 }}>
        <CardContent>
          <Stack spacing={2}>
            <Typography component="h1" variant="h6">
              Operator console
            </Typography>
            {children}
          </Stack>
        </CardContent>
      </Card>
    </Box>
  );
}
