import { DefaultNamingStrategy } from 'typeorm';

/** `createdAt` in TypeScript is `created_at` in PostgreSQL. */
export class SnakeNamingStrategy extends DefaultNamingStrategy {
  override columnName(propertyName: string, customName: string | undefined): string {
    return customName ?? propertyName.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  }
}
