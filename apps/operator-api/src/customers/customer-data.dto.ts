import { ApiProperty } from '@nestjs/swagger';
import type { ImportedLine } from '@domains/customers';
import { IsText, IsTrueOrFalse, MayBeLeftOut } from '@platform/http';

/** A file of customers. */
export class ImportCustomersDto {
  /** CSV with a first line of columns: name, org_number, email and, if you like, customer_number. */
  @IsText({ min: 1, max: 200_000 })
  @ApiProperty({ example: 'name,org_number,email\nFjordlys AS,974760673,it@fjordlys.example\n' })
  csv!: string;

  /** Whether to check every line only. */
  @MayBeLeftOut()
  @IsTrueOrFalse()
  @ApiProperty({ required: false, example: true })
  dry_run?: boolean;
}

/** The outcome of a line, or of its trial. */
export class ImportedLineDto {
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 1, example: 2 })
  line!: number;

  @ApiProperty({ enum: ['created', 'valid', 'refused', 'not created'], example: 'valid' })
  result!: string;

  @ApiProperty({ type: String, nullable: true, maxLength: 100 })
  customer_number!: string | null;

  @ApiProperty({ maxLength: 500, example: 'Fjordlys AS' })
  name!: string;

  /** Why it is refused. */
  @ApiProperty({ type: String, nullable: true, maxLength: 1000, example: null })
  problem!: string | null;

  /** The new customer. */
  @ApiProperty({ type: String, nullable: true, format: 'uuid' })
  id!: string | null;
}

/** The outcome of an import: all lines or none. */
export class ImportedLinesDto {
  @ApiProperty({ type: [ImportedLineDto], maxItems: 20_000 })
  data!: ImportedLineDto[];
}

/** An erasure. */
export class EraseCustomerDto {
  /** Whether to count the rows only. */
  @IsTrueOrFalse()
  @ApiProperty({ example: true })
  dry_run!: boolean;
}

/** Rows of a table that were erased, or would be. */
export class ErasedRowsDto {
  @ApiProperty({ maxLength: 100, example: 'support_ticket' })
  table!: string;

  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 12 })
  rows!: number;

  @ApiProperty({ enum: ['deleted', 'blanked', 'kept'], example: 'deleted' })
  done!: string;
}

/** An erasure, table by table. */
export class ErasureDto {
  @ApiProperty({ type: [ErasedRowsDto], maxItems: 200 })
  data!: ErasedRowsDto[];
}

/** Maps a line to its DTO. */
export function toImportedLineDto({ line, result, customerNumber, name, problem, id }: ImportedLine): ImportedLineDto {
  return { line, result, customer_number: customerNumber, name, problem, id };
}
