import { AutocompleteInput, ReferenceInput, required as requiredValue, SearchInput, SelectInput } from 'react-admin';
import { TimeInput } from './date-inputs';

export const search = (placeholder: string) => (
  <SearchInput key="q" source="q" alwaysOn placeholder={placeholder} sx={{ minWidth: { xs: 260, sm: 420 } }} />
);

const labelOf = (source: string) => `${source.charAt(0).toUpperCase()}${source.slice(1).replaceAll('_', ' ')}`;

export const oneOf = (source: string, values: readonly string[], label = labelOf(source)) => (
  <SelectInput
    key={source}
    source={source}
    label={label}
    alwaysOn
    emptyText="all"
    choices={values.map((id) => ({ id, name: id.replaceAll('_', ' ') }))}
  />
);

export const since = <TimeInput key="since" source="since" label="Since" />;
export const until = <TimeInput key="until" source="until" label="Until" />;

/** Any customer, found by name, number, organisation number or e-mail. */
export const customerInput = (required = false) => (
  <ReferenceInput
    key="customer_id"
    source="customer_id"
    reference="customers"
    label="Customer"
    // The order of the list; the operator API refuses one by id, which is react-admin's.
    sort={{ field: 'default', order: 'DESC' }}
  >
    <AutocompleteInput
      label="Customer"
      filterToQuery={(q: string) => ({ q })}
      optionText={(record?: { name?: string; customer_number?: string }) =>
        record?.name === undefined ? '' : `${record.name} (${record.customer_number})`
      }
      validate={required ? requiredValue() : undefined}
      sx={{ minWidth: 240 }}
    />
  </ReferenceInput>
);

export const ofCustomer = customerInput();
