// NVRTC has no headers of the host. The toolkit's cuda.h asks for this one, and for nothing in it.
#pragma once
