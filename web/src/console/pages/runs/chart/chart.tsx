import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type PointerEvent, useMemo, useRef, useState } from "react";
import type { Reply } from "../../../../../../contract/client/operation.ts";
import { dateText, durationText } from "../../../../shared/time/time.ts";
import { call } from "../../../data/api.ts";
import { Failed } from "../../../frame/panel.tsx";
import { stateText } from "../../../messages/frame.ts";
import { runsText } from "../../../messages/runs.ts";
import { type ListQuery, windowOfQuery } from "../query.ts";
import { chartWindow } from "../ranges.ts";
import { runsKey } from "../use-runs.ts";
import { type Bar, barsOf } from "./bars.ts";

type Stats = Reply<"jobs.stats">;

const WIDTH = 1000;
const HEIGHT = 80;

interface ChartProps {
  workspace: string;
  query: ListQuery;
  onRange: (from: string, to: string) => void;
  /** Shows the runs with an error of this name. */
  onError: (name: string) => void;
}

/** The numbers and the durations of runs over time, and their errors. Dragging over a part of it filters by its time. */
export function Chart({ workspace, query, onRange, onError }: ChartProps) {
  // The window stays while the page shows one query: a window that moved with each display would read the runs again and again.
  const shown = useMemo(() => ({ ...query, ...chartWindow(windowOfQuery(query), Date.now()) }), [query]);
  const stats = useQuery({
    queryKey: [...runsKey(workspace), "chart", shown],
    queryFn: ({ signal }) => {
      const { from, ...rest } = shown;
      return call.jobs.stats({ workspace, query: { ...rest, created_after: from }, signal });
    },
    placeholderData: (previous) => previous,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (stats.error) return <Failed error={stats.error} onRetry={() => void stats.refetch()} />;
  return (
    <div className="chart">
      {stats.data && (
        <>
          <Bars stats={stats.data} onRange={onRange} />
          <Errors stats={stats.data} onChoose={onError} />
        </>
      )}
    </div>
  );
}

function Bars({ stats, onRange }: { stats: Stats; onRange: ChartProps["onRange"] }) {
  const bars = useMemo(() => barsOf(stats), [stats]);
  const [drag, setDrag] = useState<{ from: number; to: number }>();
  const frame = useRef<SVGSVGElement>(null);
  const most = Math.max(1, ...bars.map(({ total }) => total));
  const longestMs = Math.max(1, ...bars.map(({ p95Ms = 0 }) => p95Ms));
  const width = WIDTH / Math.max(1, bars.length);
  const indexAt = ({ clientX }: PointerEvent) => {
    const { left = 0, width: shownPx = 1 } = frame.current?.getBoundingClientRect() ?? {};
    return Math.min(bars.length - 1, Math.max(0, Math.floor(((clientX - left) / shownPx) * bars.length)));
  };
  const finish = () => {
    const first = bars[Math.min(drag?.from ?? 0, drag?.to ?? 0)];
    const last = bars[Math.max(drag?.from ?? 0, drag?.to ?? 0)];
    setDrag(undefined);
    if (drag && first && last) onRange(new Date(first.fromMs).toISOString(), new Date(last.toMs).toISOString());
  };
  return (
    <figure>
      <svg
        ref={frame}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={runsText.chart}
        onPointerDown={(event) => setDrag({ from: indexAt(event), to: indexAt(event) })}
        onPointerMove={(event) => drag && setDrag({ ...drag, to: indexAt(event) })}
        onPointerUp={finish}
        onPointerLeave={() => setDrag(undefined)}
      >
        {bars.map((bar, index) => (
          <BarShape key={bar.fromMs} bar={bar} x={index * width} width={width} most={most} />
        ))}
        <polyline
          className="chart-line"
          points={bars
            .flatMap(({ p95Ms }, index) =>
              p95Ms === undefined ? [] : [`${(index + 0.5) * width},${HEIGHT - (p95Ms / longestMs) * HEIGHT}`],
            )
            .join(" ")}
        />
        {drag && (
          <rect
            className="chart-brush"
            x={Math.min(drag.from, drag.to) * width}
            width={(Math.abs(drag.to - drag.from) + 1) * width}
            y={0}
            height={HEIGHT}
          />
        )}
      </svg>
      <figcaption>
        <Text size="xs" c="dimmed" span>
          {dateText(stats.from)} – {dateText(stats.to)} · {runsText.chartScale(most, durationText(longestMs))}
          {stats.partial && ` · ${runsText.partial}`}
        </Text>
      </figcaption>
      <details>
        <summary>{runsText.chartTable}</summary>
        <table className="chart-table">
          <thead>
            <tr>
              <th scope="col">{runsText.chartFrom}</th>
              <th scope="col">{runsText.title}</th>
              <th scope="col">{runsText.chartMedian}</th>
              <th scope="col">{runsText.chartP95}</th>
            </tr>
          </thead>
          <tbody>
            {bars
              .filter(({ total }) => total > 0)
              .map(({ fromMs, toMs, counts, p50Ms, p95Ms }) => (
                <tr key={fromMs}>
                  <td>
                    <button
                      type="button"
                      className="tree-more"
                      onClick={() => onRange(new Date(fromMs).toISOString(), new Date(toMs).toISOString())}
                    >
                      {dateText(new Date(fromMs).toISOString())}
                    </button>
                  </td>
                  <td>{counts.map(([state, count]) => `${count} ${stateText[state]}`).join(", ")}</td>
                  <td>{p50Ms === undefined ? "" : durationText(p50Ms)}</td>
                  <td>{p95Ms === undefined ? "" : durationText(p95Ms)}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}

function BarShape({ bar, x, width, most }: { bar: Bar; x: number; width: number; most: number }) {
  let below = 0;
  return bar.counts.map(([state, count]) => {
    const height = (count / most) * HEIGHT;
    below += height;
    return (
      <rect
        key={state}
        className="chart-bar"
        data-state={state}
        x={x + width * 0.1}
        width={width * 0.8}
        y={HEIGHT - below}
        height={height}
      />
    );
  });
}

/** The most frequent errors in the time of the chart. */
function Errors({ stats: { error_kinds, errors, partial }, onChoose }: { stats: Stats; onChoose: ChartProps["onError"] }) {
  if (errors.length === 0) return null;
  return (
    <details className="error-groups">
      <summary>
        {runsText.errors(error_kinds)}
        {partial && ` · ${runsText.partial}`}
      </summary>
      <ul className="plain-list">
        {errors.map(({ name, message, count }) => (
          <li key={`${name} ${message}`}>
            {count} ×{" "}
            <button type="button" className="tree-more" onClick={() => onChoose(name)}>
              {name}
            </button>{" "}
            {message}
          </li>
        ))}
        {error_kinds > errors.length && <li>{runsText.moreErrors(error_kinds - errors.length)}</li>}
      </ul>
    </details>
  );
}
