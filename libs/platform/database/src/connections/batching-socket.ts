import { Socket } from 'node:net';

/** A socket that sends in one go what is written in one go: the driver writes a statement in five parts or more. */
export class BatchingSocket extends Socket {
  private waiting: Uint8Array[] = [];

  override connect(...target: unknown[]): this {
    super.connect(...(target as [number]));
    // Connecting puts Node's own write in front of ours.
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
    // A socket that has ended or died has told so already, and with it everyone who waits for a reply.
    if (this.writable) super.write(Buffer.concat(waiting));
  }
}
