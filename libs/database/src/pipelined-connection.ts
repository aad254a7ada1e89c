import { Client, type ClientConfig, type QueryResult, type QueryResultRow } from 'pg';
import { BatchingSocket } from './batching-socket';
import { DatabaseUnavailableError, isDatabaseUnavailable, isUnknownStatement } from './database-errors';

/** One connection that connects when first used and again after it was lost. */
export class PipelinedConnection {
  /** Sends under way. */
  load = 0;
  private client?: Client;
  private connecting?: Promise<Client>;
  private ended = false;

  constructor(private readonly settings: ClientConfig) {}

  /** Lets `queue` send on the connection. It must queue all its statements before it first awaits. */
  async send<Row extends QueryResultRow>(queue: (client: Client) => Promise<QueryResult<Row>>): Promise<Row[]> {
    this.load++;
    try {
      const attempt = async () => queue(this.client ?? (await this.connect()));
      const { rows } = await attempt().catch((error: unknown) => {
        if (!isUnknownStatement(error)) throw error;
        return attempt();
      });
      return rows;
    } catch (error) {
      throw isDatabaseUnavailable(error) ? new DatabaseUnavailableError(error) : error;
    } finally {
      this.load--;
    }
  }

  /** Closes the connection; what is under way is answered first. */
  async end(): Promise<void> {
    this.ended = true;
    await this.client?.end();
  }

  private connect(): Promise<Client> {
    if (this.ended) return Promise.reject(new DatabaseUnavailableError());
    this.connecting ??= this.open().finally(() => (this.connecting = undefined));
    return this.connecting;
  }

  private async open(): Promise<Client> {
    const client = new Client({ ...this.settings, pipeline: true, stream: () => new BatchingSocket() });
    const forget = () => {
      if (this.client === client) this.client = undefined;
    };
    // What was under way is rejected by the driver; the next send opens a new connection.
    client.on('error', forget);
    client.on('end', forget);
    await client.connect();
    this.client = client;
    return client;
  }
}
