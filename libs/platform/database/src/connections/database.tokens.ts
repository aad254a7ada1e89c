import type { ConnectionSettings } from './connection-settings';

export const PIPELINE_SETTINGS = Symbol('PIPELINE_SETTINGS');

/** Settings and number of the pipelined connections. */
export interface PipelineSettings {
  client: ConnectionSettings;
  size: number;
}
