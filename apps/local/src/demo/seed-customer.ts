import type { INestApplicationContext } from '@nestjs/common';
import { AiConfigurationOperatorService, AiPricesOperatorService } from '@domains/ai';
import { ServicesOperatorService } from '@domains/services';
import { StatusEventsOperatorService } from '@domains/status';
import { seedAccount } from './seed-account';

const DEMO_MODEL = 'claude-haiku-4-5';

/** Creates the demo customer with one record of each kind that the API returns. */
export async function seedCustomer(app: INestApplicationContext, actor: string, customerId: string): Promise<void> {
  const services = app.get(ServicesOperatorService);
  const status = app.get(StatusEventsOperatorService);
  const hosting = await services.add(actor, {
    customerId,
    type: 'hosting',
    name: 'Web hosting',
    config: { disk_gb: 50 },
  });
  await services.add(actor, { customerId, type: 'ai', name: 'AI assistant', config: { monthly_included_nok: 500 } });
  await app.get(AiPricesOperatorService).addExamples();
  await app.get(AiConfigurationOperatorService).configure(actor, customerId, { enabled: true, model: DEMO_MODEL });
  await services.add(actor, { customerId, type: 'sms', name: 'SMS' });
  const maintenance = await status.post(actor, {
    serviceId: hosting.id,
    status: 'maintenance',
    message: 'New disks in the storage servers',
    startsAt: new Date(Date.now() - 86_400_000),
  });
  await status.end(actor, maintenance.id);
  await status.post(actor, { serviceId: hosting.id, status: 'degraded', message: 'Slow replies from one web server' });
  await seedAccount(app, actor, customerId);
}
