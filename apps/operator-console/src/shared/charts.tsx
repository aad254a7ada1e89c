import { Box, Card, CardContent, Typography } from '@mui/material';
import { BarChart } from '@mui/x-charts/BarChart';
import { formatDay, formatNok, formatNumber, useFormats } from './formats';

/** Values by day, or by another name, of one or several series. */
export interface ChartData {
  labels: string[];
  series: { name: string; values: number[] }[];
}

const COLOURS = ['#2f78b7', '#d9822b', '#3f9b5b', '#b5485d', '#7a5ea8', '#5f6b7a', '#c2a52e', '#3b9ea3'];

/** For readers of screens only. In a box of its own, and in pixels: a table is as large as its content, and a bare 1 means all the width. */
const CLIPPED = {
  position: 'absolute',
  width: '1px',
  height: '1px',
  overflow: 'hidden',
  clipPath: 'inset(50%)',
  whiteSpace: 'nowrap',
} as const;

/** A picture of figures that the heading names; readers of screens get the table. */
export function Bars({
  title,
  data,
  byDay = false,
  unit = '',
}: {
  title: string;
  data: ChartData;
  byDay?: boolean;
  /** Without one, what is counted. */
  unit?: 'NOK' | '';
}) {
  const [formats] = useFormats();
  const isEmpty = data.series.every(({ values }) => values.every((value) => value === 0));
  const heading = unit === '' ? title : `${title}, ${unit}`;
  const valueOf = (value: number | null | undefined) =>
    unit === 'NOK' ? `${formatNok(value, formats)} NOK` : formatNumber(value, formats);
  const label = (text: string) => (byDay ? formatDay(text, formats) : text);
  return (
    <Card variant="outlined" sx={{ minWidth: 0, position: 'relative' }}>
      <CardContent>
        <Typography component="h2" variant="subtitle1" sx={{ fontWeight: 600 }}>
          {heading}
        </Typography>
        {isEmpty ? (
          <Typography color="text.secondary">Nothing yet.</Typography>
        ) : (
          <>
            <Box aria-hidden="true">
              <BarChart
                height={190}
                skipAnimation
                // Keys stop at nothing that is hidden from readers of screens: they have the table.
                disableKeyboardNavigation
                colors={COLOURS}
                hideLegend={data.series.length < 2}
                margin={{ left: 0, right: 8, top: 8, bottom: 0 }}
                xAxis={[
                  {
                    scaleType: 'band',
                    data: data.labels,
                    valueFormatter: label,
                    tickLabelStyle: { fontSize: 10 },
                    // One bar alone is no wall.
                    categoryGapRatio: Math.max(0.2, 1 - data.labels.length / 10),
                  },
                ]}
                yAxis={[
                  {
                    width: 64,
                    // What has no unit is counted in whole numbers.
                    tickMinStep: unit === '' ? 1 : undefined,
                    valueFormatter: (value: number) => formatNumber(value, formats),
                  },
                ]}
                series={data.series.map(({ name, values }) => ({
                  label: name,
                  data: values,
                  stack: 'all',
                  valueFormatter: valueOf,
                }))}
              />
            </Box>
            <Box sx={CLIPPED}>
              <table>
                <caption>{heading}</caption>
                <tbody>
                  {data.labels.map((text, at) => (
                    <tr key={text}>
                      <th scope="row">{label(text)}</th>
                      {data.series.map(({ name, values }) => (
                        <td key={name}>{`${name}: ${valueOf(values[at])}`}</td>
                      ))}
                    </tr>
                  ))}
                </tbody>
              </table>
            </Box>
          </>
        )}
      </CardContent>
    </Card>
  );
}
