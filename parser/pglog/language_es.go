package pglog

// spanish is PostgreSQL's es.po.
func spanish() *language {
	return &language{
		name:     "Spanish",
		messages: append(spanishEnds(), spanishMessages()...),
		lines:    spanishVacuum(),
		details: []translation{
			{"El proceso que falló estaba ejecutando: {1}", "Failed process was running: {1}"},
			{"parámetros: {1}", "parameters: {1}"},
			{"Parámetros: {1}", "parameters: {1}"},
		},
		words: []string{" el ", " la ", " los ", " está ", " fue ", "proceso", "conexión", "ción", " en ", "«"},
	}
}

func spanishMessages() []translation {
	return []translation{
		{"duración: {#1} ms", "duration: {1} ms"},
		{"duración: {#1} ms  sentencia: {2}", "duration: {1} ms  statement: {2}"},
		{"duración: {#1} ms  parse: {2}: {3}", "duration: {1} ms  parse {2}: {3}"},
		{"duración: {#1} ms  parse {2}: {3}", "duration: {1} ms  parse {2}: {3}"},
		{"duración: {#1} ms  bind {2}: {3}", "duration: {1} ms  bind {2}: {3}"},
		{"duración: {#1} ms  ejecutar fetch desde {2}: {3}", "duration: {1} ms  execute fetch from {2}: {3}"},
		{"duración: {#1} ms  ejecutar {2}: {3}", "duration: {1} ms  execute {2}: {3}"},
		{"sentencia: {1}", "statement: {1}"},
		{"ejecutar fetch desde {1}: {2}", "execute fetch from {1}: {2}"},
		{"ejecutar {1}: {2}", "execute {1}: {2}"},
		{"archivo temporal: ruta «{1}», tamaño {#2}", `temporary file: path "{1}", size {2}`},
		{"el proceso {#1} aún espera {2} en {3} después de {#4} ms", "process {1} still waiting for {2} on {3} after {4} ms"},
		{"el proceso {#1} adquirió {2} en {3} después de {#4} ms", "process {1} acquired {2} on {3} after {4} ms"},
		{"el proceso {#1} detectó un deadlock mientras esperaba {2}", "process {1} detected deadlock while waiting for {2}"},
		{"se ha detectado un deadlock", "deadlock detected"},
		{"empezando checkpoint: {1}", "checkpoint starting: {1}"},
		{"empezando checkpoint:{1}", "checkpoint starting:{1}"},
		{"empezando restartpoint:{1}", "restartpoint starting:{1}"},
		{"checkpoint completado: se escribió {#1} buffers ({2}%); {3} archivo(s) WAL añadido(s), {4} eliminado(s), {5} reciclado(s); " +
			"escritura={6} s, sincronización={7} s, total={8} s; {9}",
			"checkpoint complete: wrote {1} buffers ({2}%); {3} WAL file(s) added, {4} removed, {5} recycled; write={6} s, sync={7} s, total={8} s; {9}"},
		{"vacuum automático de la tabla «{1}»: recorridos de índice: {#2}", `automatic vacuum of table "{1}": index scans: {2}`},
		{"vacuum agresivo automático de la tabla «{1}»: recorridos de índice: {#2}", `automatic aggressive vacuum of table "{1}": index scans: {2}`},
		{"vacuum automático para prevenir wraparound de la tabla «{1}»: recorridos de índice: {#2}",
			`automatic vacuum to prevent wraparound of table "{1}": index scans: {2}`},
		{"análisis automático de la tabla «{1}»", `automatic analyze of table "{1}"`},
		{"conexión recibida: {1}", "connection received: {1}"},
		{"conexión autorizada: usuario={1} base_de_datos={2} nombre_de_aplicación={3}",
			"connection authorized: user={1} database={2} application_name={3}"},
		{"conexión autorizada: usuario={1} base_de_datos={2}", "connection authorized: user={1} database={2}"},
		{"conexión autorizada: usuario={1} database={2}", "connection authorized: user={1} database={2}"},
		{"desconexión: duración de sesión: {1} usuario={2} base={3} host={4}", "disconnection: session time: {1} user={2} database={3} host={4}"},
		{"el parámetro «{1}» fue cambiado a «{2}»", `parameter "{1}" changed to "{2}"`},
		{"se recibió SIGHUP, volviendo a cargar archivos de configuración", "received SIGHUP, reloading configuration files"},
		{"el sistema de bases de datos está listo {1}", "database system is ready to accept connections"},
		{"el sistema de bases de datos {1}", "database system {1}"},
	}
}

// spanishVacuum is the lines below the first of an automatic vacuum or analyze.
func spanishVacuum() []translation {
	return []translation{
		{"páginas: {#1} eliminadas, {#2} quedan, {#3} recorridas ({4})", "pages: {1} removed, {2} remain, {3} scanned ({4})"},
		{"tuplas: {#1} eliminadas, {#2} permanecen, {#3} están muertas pero aún no se pueden quitar",
			"tuples: {1} removed, {2} remain, {3} are dead but not yet removable"},
		{"punto de corte de removible: {#1}, que tenía {#2} XIDs de antigüedad cuando la operación terminó",
			"removable cutoff: {1}, which was {2} XIDs old when operation ended"},
		{"nuevo relfrozenxid: {#1}{2}", "new relfrozenxid: {1}"},
		{"nuevo relminmxid: {#1}{2}", "new relminmxid: {1}"},
		{"recorrido de índice necesario: en {#1} páginas de la tabla ({2}) se eliminaron {#3} identificadores de elementos muertos",
			"index scan needed: {1} pages from table ({2}) had {3} dead item identifiers removed"},
		{"recorrido de índice no necesario: en {#1} páginas de la tabla ({2}) se eliminaron {#3} identificadores de elementos muertos",
			"index scan not needed: {1} pages from table ({2}) had {3} dead item identifiers removed"},
		{"índice «{1}»: páginas: {#2} en total, {#3} recientemente eliminadas, {#4} eliminadas hasta ahora, {#5} reusables",
			`index "{1}": pages: {2} in total, {3} newly deleted, {4} currently deleted, {5} reusable`},
		{"tiempos de E/S: lectura: {#1} ms, escritura: {#2} ms", "I/O timings: read: {1} ms, write: {2} ms"},
		{"tasa lectura promedio: {1}", "avg read rate: {1}"},
		{"uso de búfers: {#1} aciertos, {#2} fallos, {#3} ensuciados", "buffer usage: {1} hits, {2} misses, {3} dirtied"},
		{"uso de WAL: {#1} registros, {#2} imágenes de página completa, {#3} bytes", "WAL usage: {1} records, {2} full page images, {3} bytes"},
		{"uso de sistema: CPU: usuario: {#1} s, sistema: {#2} s, transcurrido: {#3} s", "system usage: CPU: user: {1} s, system: {2} s, elapsed: {3} s"},
	}
}

// spanishEnds is the end of processes, of the server and of statements, and the
// recovery after a crash.
func spanishEnds() []translation {
	return []translation{
		{"proceso de servidor (PID {#1}) fue terminado por una señal {#2}: {3}", "server process (PID {1}) was terminated by signal {2}: {3}"},
		{"los puntos de control están ocurriendo con demasiada frecuencia (cada {#1} segundos)", "checkpoints are occurring too frequently ({1} seconds apart)"},
		{"los puntos de control están ocurriendo con demasiada frecuencia (cada {#1} segundo)", "checkpoints are occurring too frequently ({1} seconds apart)"},
		{"el sistema de bases de datos no fue apagado apropiadamente; se está efectuando la recuperación automática", "database system was not properly shut down; automatic recovery in progress"},
		{"el sistema de bases de datos fue interrumpido; última vez en funcionamiento en {1}", "database system was interrupted; last known up at {1}"},
		{"se recibió petición de apagado rápido", "received fast shutdown request"},
		{"se recibió petición de apagado inteligente", "received smart shutdown request"},
		{"se recibió petición de apagado inmediato", "received immediate shutdown request"},
		{"redo comienza en {1}", "redo starts at {1}"},
		{"redo listo en {1} utilización del sistema: {2}", "redo done at {1} system usage: {2}"},
		{"cancelando la sentencia debido a que se agotó el tiempo de espera de sentencias", "canceling statement due to statement timeout"},
		{"cancelando la sentencia debido a una petición del usuario", "canceling statement due to user request"},
		{"cancelando la sentencia debido a que se agotó el tiempo de espera de candados (locks)", "canceling statement due to lock timeout"},
	}
}
