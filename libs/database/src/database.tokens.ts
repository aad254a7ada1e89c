import type { ClientConfig } from 'pg';

export const PIPELINE_SETTINGS = Symbol('PIPELINE_SETTINGS');

/** How the pipelined connections connect, and how many there are. */
export interface PipelineSettings {
  client: ClientConfig;
  size: number;
}
