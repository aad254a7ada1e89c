import type { ConnectionSettings } from './connection-settings';

export const PIPELINE_SETTINGS = Symbol('PIPELINE_SETTINGS');

/** How the pipelined connections connect, and how many there are. */
export interface PipelineSettings {
  client: ConnectionSettings;
  size: number;
}
