import type { MapView } from "../../../../core/approvals/description-items.ts";
import { placeText, projectionOf } from "./projection.ts";

const [WIDTH, HEIGHT] = [640, 360];

/** The map is drawn here. A provider of map images would learn about the request. */
export default function PlaceMap({ view }: { view: MapView }) {
  const { x, y, meridians, parallels } = projectionOf(view, WIDTH, HEIGHT);
  const markers = view.markers.length > 0 ? view.markers : [{ lat: view.lat, lon: view.lon, title: "" }];
  const name = markers
    .map(({ title }) => title)
    .filter(Boolean)
    .join(", ");
  return (
    <figure>
      <svg className="map" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={name ? `Map of ${name}` : "Map"}>
        {meridians.map(({ at, label }) => (
          <g key={at}>
            <line x1={at} x2={at} y1={0} y2={HEIGHT} />
            <text className="grid" x={at + 3} y={HEIGHT - 4}>
              {label}
            </text>
          </g>
        ))}
        {parallels.map(({ at, label }) => (
          <g key={at}>
            <line x1={0} x2={WIDTH} y1={at} y2={at} />
            <text className="grid" x={3} y={at - 3}>
              {label}
            </text>
          </g>
        ))}
        {markers.map((marker, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two markers may be the same
          <g key={index}>
            <circle cx={x(marker.lon)} cy={y(marker.lat)} r={7} />
            <text x={x(marker.lon) + 11} y={y(marker.lat) + 4}>
              {marker.title}
            </text>
          </g>
        ))}
      </svg>
      <figcaption>
        <ul className="approvers">
          {markers.map((marker, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two markers may be the same
            <li key={index}>
              {marker.title && `${marker.title}: `}
              {placeText(marker)}
            </li>
          ))}
        </ul>
      </figcaption>
    </figure>
  );
}
