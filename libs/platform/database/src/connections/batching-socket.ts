import { Socket } from 'node:net';

/** A socket that joins the writes of one turn into one: the driver writes a statement in five parts or more. */
export class BatchingSocket extends Socket {
  private waiting: Uint8Array[] = [];

  override connect(...target: unknown[]): this {
    super.connect(...(target as [number]));
    // Connecting restores Node's own write method.
    this.write = BatchingSocket.prototype.write.bind(this);
    return this;
  }

  override write(chunk: Uint8Array | string, ...rest: unknown[]): boolean {
    if (typeof chunk === 'string' || rest.length > 0) {
      this.flush();
      return super.write(chunk, ...(rest as []));
    }
    if (this.waiting.push(chunk) === 1) process.nextTick(() => this.flush());
    return !this.writableNeedDrain;
  }

  override end(...rest: unknown[]): this {
    this.flush();
    return super.end(...(rest as []));
  }

  private flush(): void {
    const { waiting } = this;
    if (waiting.length === 0) return;
    this.waiting = [];
    // A socket that has ended has already failed the waiting replies.
    if (this.writable) super.write(Buffer.concat(waiting));
  }
}
