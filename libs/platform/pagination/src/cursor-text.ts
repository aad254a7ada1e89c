import { hash } from 'node:crypto';
import { ServiceError } from '@platform/errors';

/**
 * 48 bits: the hash only distinguishes lists and filters and need not resist forgery; which customer's rows are read
 * does not depend on it.
 */
const MARK_LENGTH = 8;

/** A short hash of a list and its filters: a cursor is valid for the same ones only. */
export function listMark(name: string, filters: readonly unknown[]): string {
  return hash('sha256', JSON.stringify([name, filters.map((value) => value ?? null)]), 'base64url').slice(
    0,
    MARK_LENGTH,
  );
}

/** The parts of a cursor as opaque text. @param list the hash of its list and filters (see {@link listMark}) */
export function cursorText(parts: readonly string[], list: string): string {
  return Buffer.from(JSON.stringify([...parts, list])).toString('base64url');
}

/**
 * The parts of a caller's cursor, texts that still have to be checked. @param list the hash of the list with its filters.
 * @throws ServiceError invalid_request for a text that is not a cursor, or belongs to another list
 */
export function cursorParts(text: string, count: number, list: string): string[] {
  const parts = textsIn(text);
  const mark = parts.pop();
  if (mark === undefined || parts.length === 0) throw noCursor();
  if (mark !== list) throw refused('cursor comes from another list or other filters; begin again without it');
  if (parts.length !== count) throw noCursor();
  return parts;
}

/** The error for a text that no list gave as a cursor. */
export function noCursor(): ServiceError {
  return refused('cursor must be a next_cursor of this list, sent back as it is');
}

function refused(detail: string): ServiceError {
  return new ServiceError('invalid_request', detail, { errors: [{ pointer: '/cursor', detail }] });
}

function textsIn(text: string): string[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return Array.isArray(value) && value.every((part) => typeof part === 'string') ? value : [];
  } catch {
    return [];
  }
}
