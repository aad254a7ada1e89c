import 'reflect-metadata';
import { countUnreadableKeys } from '@domains/ai';
import { countUnreadableWebhookSecrets } from '@domains/events';
import { migrateSchema } from '@schema';
import { type AppConfig, loadConfig } from '@platform/config';
import { migrateJobQueue } from '@platform/jobs';
import { explainStartFailure } from '@platform/process';

/**
 * Migrates the schema as the owner in DATABASE_URL. Not a command of the operator's program: that program's role is
 * created here.
 */
Promise.resolve()
  .then(async () => {
    const config = loadConfig();
    const { applied, later, billingZone } = await migrateSchema(config);
    if (later === undefined) await migrateJobQueue(config);
    process.stdout.write(`${outcome(applied, later)}\n`);
    if (billingZone?.former !== undefined)
      process.stdout.write(
        `BILLING_TIMEZONE is now ${config.BILLING_TIMEZONE}, and was ${billingZone.former}: restart all programs with it\n`,
      );
    if (billingZone?.isFirst)
      process.stdout.write(
        `Months and days are those of ${config.BILLING_TIMEZONE}, for good once AI credit is booked. If programs had another ` +
          'BILLING_TIMEZONE until now, correct what is stored before they start (docs/handbook/incidents.md)\n',
      );
    await warnOfAnotherSecretsKey(config);
  })
  .catch((error: unknown) => {
    process.stderr.write(`${explainStartFailure(error)}\n`);
    process.exitCode = 1;
  });

function outcome(applied: string[], later?: string): string {
  if (later !== undefined) return `The database is of release ${later}, which this one can use: nothing is migrated`;
  return applied.length > 0 ? `Applied:\n  ${applied.join('\n  ')}` : 'Nothing to migrate';
}

/** Only a warning: without those keys the service does everything else, and new ones can be set while it runs. */
async function warnOfAnotherSecretsKey(config: AppConfig): Promise<void> {
  try {
    const { stored, unreadable } = await countUnreadableKeys(config);
    const webhooks = await countUnreadableWebhookSecrets(config);
    if (webhooks.unreadable > 0)
      process.stderr.write(
        `SECRETS_KEY does not fit the data: ${webhooks.unreadable} of ${webhooks.stored} secrets of webhook endpoints open neither under it ` +
          'nor under FORMER_SECRETS_KEY, and nothing is delivered to these endpoints. Put the former key back. If it is lost: ' +
          'operator secrets reencrypt names the endpoints, operator webhook rotate-secret makes new secrets\n',
      );
    if (unreadable === 0) return;
    process.stderr.write(
      `SECRETS_KEY does not fit the data: ${unreadable} of ${stored} provider keys of customers open neither under it nor ` +
        'under FORMER_SECRETS_KEY, and AI calls of these customers are refused. Put the former key back. If it is lost: ' +
        'operator secrets reencrypt names the customers, operator ai configure --customer ID --key-stdin sets a key anew\n',
    );
  } catch (error) {
    process.stderr.write(`SECRETS_KEY was not checked against the data: ${explainStartFailure(error)}\n`);
  }
}
