module pallas.helu.ca/test/pause

go 1.26.0
