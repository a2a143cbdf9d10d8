// Guides that tests upload.

/** A moment as guides write it. */
export const guideTime = (moment: number) =>
  `${new Date(moment).toISOString().replace(/[-:T]/g, "").slice(0, 14)} +0000`;

const hour = 3_600_000;

/**
 * A guide with a programme that is on for each channel. Only a user can say that «TV {place}» is its «Canal {place}»; what is
 * accepted is an alias from then on, so that each test has a place of its own.
 */
export function guideOf(place: string): string {
  const start = guideTime(Date.now() - hour);
  const stop = guideTime(Date.now() + hour);
  const channels = {
    "marea.azul": "Marea Azul TV",
    "marea.roja": "Marea Roja TV",
    c12: `Canal ${place}`,
    cumbre: "Cumbre Noticias",
    farola: "Farola",
    quimera: "Quimera Dorada",
    brisa: "Brisa Asia",
    tormo: "Tormo Cine",
    kaldera: "Kaldera Plus",
  };
  const one = ([id, name]: [string, string]) =>
    `<channel id="${id}"><display-name>${name}</display-name></channel><programme channel="${id}" start="${start}" ` +
    `stop="${stop}"><title lang="es">Ahora en ${name}</title></programme>`;
  return `<tv>${Object.entries(channels).map(one).join("")}</tv>`;
}
