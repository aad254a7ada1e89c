import { AsyncLocalStorage } from 'node:async_hooks';

/** Fields that every line logged during some work carries, such as the request's id. */
export type LogFields = Readonly<Record<string, string>>;

const storage = new AsyncLocalStorage<LogFields>();

/** The fields of the present work. */
export const LogContext = {
  run: <T>(fields: LogFields, work: () => T): T => storage.run(fields, work),
  fields: (): LogFields => storage.getStore() ?? {},
};
