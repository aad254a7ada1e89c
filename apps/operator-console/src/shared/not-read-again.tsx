import { Alert } from '@mui/material';
import { formatTime, useFormats } from './formats';

interface NotReadAgainProps {
  /** Why the last reading failed; null if it did not. */
  error: Error | null | undefined;
  /** When what is shown was read, in milliseconds. */
  readAt: number;
}

/** Says of what is shown that it is old. */
export function NotReadAgain({ error, readAt }: NotReadAgainProps) {
  const [formats] = useFormats();
  if (!error) return null;
  return (
    <Alert severity="warning">
      Not read again since {formatTime(new Date(readAt).toISOString(), formats)}: {error.message}
    </Alert>
  );
}
