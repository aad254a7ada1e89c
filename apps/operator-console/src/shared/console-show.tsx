import { Alert } from '@mui/material';
import { useQueryClient } from '@tanstack/react-query';
import { Show, type ShowProps, useNotify, useRedirect, useResourceContext, useShowContext } from 'react-admin';
import { ApiError } from '../client/api';
import { NotReadAgain } from './not-read-again';
import { REFRESH_MS, retryUnlessRefused } from './refresh';

/** Whether the operator API says that there is no such record; what stands before it can say that of its address, too. */
const isGone = (error: Error) => error instanceof ApiError && error.problem.code === 'not_found';

/**
 * The page of one record, which is read again and again. A record that is gone leads to its list. Whatever else fails leaves the page
 * as it is, with what somebody writes in it, and is asked again: react-admin alone would leave the page for every failure.
 */
export function ConsoleShow({ children, ...props }: ShowProps) {
  const resource = useResourceContext();
  const notify = useNotify();
  const redirect = useRedirect();
  const onError = (error: Error) => {
    if (!isGone(error)) return;
    notify('ra.notification.item_doesnt_exist', { type: 'error' });
    redirect('list', resource);
  };
  return (
    <Show actions={false} queryOptions={{ refetchInterval: REFRESH_MS, retry: retryUnlessRefused, onError }} {...props}>
      <NotRead />
      {children}
    </Show>
  );
}

/** Why a page has nothing to show, or something old. */
function NotRead() {
  const { record, error, resource } = useShowContext();
  const queries = useQueryClient();
  if (!error) return null;
  if (!record) return <Alert severity="error">{error.message}</Alert>;
  // Where react-admin keeps it.
  const state = queries.getQueryState([resource, 'getOne', { id: String(record.id), meta: undefined }]);
  return state === undefined ? null : <NotReadAgain error={error} readAt={state.dataUpdatedAt} />;
}
