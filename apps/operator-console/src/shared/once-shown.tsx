import { Alert, Button, Stack, Typography } from '@mui/material';

interface OnceShownProps {
  /** What it is, such as `token`. */
  kind: string;
  /** Null if the reply was lost and this is the reply to another attempt: a secret is sent once. */
  text: unknown;
  /** How it is used, or how another one is made if this one was lost. */
  hint: string;
}

/** A secret that is in the reply that makes it, and nowhere else: it stays in this dialog's memory and goes with it. */
export function OnceShown({ kind, text, hint }: OnceShownProps) {
  if (typeof text !== 'string')
    return (
      <Alert severity="error">
        The {kind} was made, but the reply that had it was lost, and it is not sent again. {hint}
      </Alert>
    );
  return (
    <Stack spacing={1}>
      <Alert severity="warning">
        The {kind} is shown only now. {hint}
      </Alert>
      <Typography
        component="code"
        sx={{ fontFamily: 'ui-monospace, monospace', wordBreak: 'break-all', userSelect: 'all' }}
        data-secret={kind}
      >
        {text}
      </Typography>
      <Button onClick={() => void navigator.clipboard.writeText(text)}>Copy</Button>
    </Stack>
  );
}
