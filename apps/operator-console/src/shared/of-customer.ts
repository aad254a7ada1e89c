import { useQuery } from '@tanstack/react-query';
import { call, type Dto } from '../client/api';
import { REFRESH_MS } from './refresh';

/** What several pages and forms ask of a customer. */

export const readOverview = (customerId: string, signal?: AbortSignal) =>
  call<Dto<'CustomerOverviewDto'>>('GET', `customers/${customerId}/overview`, { signal });

export const readServices = async (customerId: string, signal?: AbortSignal) =>
  (await call<Dto<'ServicePageDto'>>('GET', 'services', { query: { customer_id: customerId }, signal })).data;

export const useOverview = (customerId: string | undefined) =>
  useQuery({
    queryKey: ['overview', customerId],
    enabled: customerId !== undefined,
    queryFn: ({ signal }) => readOverview(String(customerId), signal),
    refetchInterval: REFRESH_MS,
  });

export const useSmsSettings = (customerId: string) =>
  useQuery({
    queryKey: ['sms-settings', customerId],
    queryFn: ({ signal }) => call<Dto<'SmsSettingsDto'>>('GET', `customers/${customerId}/sms`, { signal }),
    retry: false,
    refetchInterval: REFRESH_MS,
  });

export const useServices = (customerId: string | undefined) =>
  useQuery({
    queryKey: ['services-of', customerId],
    enabled: customerId !== undefined,
    queryFn: ({ signal }) => readServices(String(customerId), signal),
    refetchInterval: REFRESH_MS,
  });

/** The types of all customers' services. */
export const useServiceTypes = () =>
  useQuery({
    queryKey: ['service-types'],
    queryFn: async ({ signal }) => (await call<Dto<'ServiceTypeListDto'>>('GET', 'services/types', { signal })).data,
  });
