import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';
import type { AppConfig } from '@platform/config';

/** The sampler that OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG name. */
export function samplerOf({ OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG }: AppConfig): Sampler {
  const [, root = ''] = /^(?:parentbased_)?(.*)$/.exec(OTEL_TRACES_SAMPLER) ?? [];
  const sampler =
    root === 'always_off'
      ? new AlwaysOffSampler()
      : root === 'always_on'
        ? new AlwaysOnSampler()
        : new TraceIdRatioBasedSampler(OTEL_TRACES_SAMPLER_ARG);
  return root === OTEL_TRACES_SAMPLER ? sampler : new ParentBasedSampler({ root: sampler });
}
